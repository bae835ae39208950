"""What every API file is made of: bodies and answers with their fields, endpoints, addresses."""
