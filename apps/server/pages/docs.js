// Swagger UI over /docs/json.
window.SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'list',
  validatorUrl: null,
});
