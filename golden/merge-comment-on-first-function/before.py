# Licence

# about frac
def frac(g, self):
    return self
