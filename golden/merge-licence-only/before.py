# Copyright holders of our symbolics
# Licence: see LICENCE
