<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire\Support;

use Opis\JsonSchema\Errors\ErrorFormatter;
use Opis\JsonSchema\Validator;
use RuntimeException;

/**
 * docs/collector.openapi.json, held against what was said on the wire.
 */
final class Description
{
    public const PATH = __DIR__.'/../../../../../docs/collector.openapi.json';

    private const ID = 'https://collector.test/openapi.json';

    /** Headers of the transport. PHP's built-in server repeats the host. */
    private const TRANSPORT = ['date', 'connection', 'content-length', 'content-type', 'host'];

    /** @var array<array-key, mixed> */
    private readonly array $document;

    private readonly Validator $validator;

    public function __construct()
    {
        $text = (string) file_get_contents(self::PATH);
        $document = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        $this->document = is_array($document) ? $document : throw new RuntimeException('It is no object.');
        $this->validator = new Validator;
        $this->validator->resolver()?->registerRaw($text, self::ID);
    }

    /** @return list<string> such as "post /v1/events 202" */
    public function responses(): array
    {
        $all = [];

        foreach ($this->at('#/paths') as $path => $item) {
            foreach (is_array($item) ? $item : [] as $method => $operation) {
                foreach (is_array($operation) && is_array($operation['responses'] ?? null) ? array_keys(
                    $operation['responses'],
                ) : [] as $status) {
                    $all[] = "{$method} {$path} {$status}";
                }
            }
        }

        return $all;
    }

    /** @return ?string which of them tells of this answer */
    public function responseTo(Said $said): ?string
    {
        $method = strtolower($said->ask->method);

        foreach ([(string) $said->status, 'default'] as $status) {
            if (in_array($name = "{$method} {$said->ask->path} {$status}", $this->responses(), true)) {
                return $name;
            }
        }

        return null;
    }

    /** @return string where it is described */
    public function pointer(string $response): string
    {
        [$method, $path, $status] = explode(' ', $response);

        return $this->resolved('#/paths/'.self::escaped($path)."/{$method}/responses/{$status}");
    }

    /** @return list<string> what the answer has that is not described so */
    public function complaints(string $pointer, Said $said): array
    {
        $wrong = [];
        $headers = $this->headers($pointer);

        foreach ($headers as $name => $at) {
            $value = $said->headers[$name] ?? null;
            $isRequired = ($this->at($at)['required'] ?? false) === true;
            $wrong = [...$wrong, ...match (true) {
                $value === null => $isRequired ? ["has no header {$name}"] : [],
                default => $this->validate($value, "{$at}/schema", "header {$name}"),
            }];
        }

        $unknown = array_diff(array_keys($said->headers), array_keys($headers), self::TRANSPORT);
        $content = $this->at($pointer)['content'] ?? [];

        // A message of Protocol Buffers that says nothing has no bytes.
        $isMessage = is_array($content)
            && isset($content['application/x-protobuf'])
            && $said->type() === 'application/x-protobuf';

        if (($said->body === '' && ! $isMessage) || ! is_array($content) || $content === []) {
            $isEmpty = $said->body === '' && ($content === [] || $said->ask->method === 'HEAD');

            return [
                ...$wrong,
                ...array_map(static fn (string $name): string => "has a header {$name}", array_values($unknown)),
                ...($isEmpty ? [] : ['has a body, or has none']),
            ];
        }

        $type = $said->type() ?? '';

        return [
            ...$wrong,
            ...array_map(static fn (string $name): string => "has a header {$name}", array_values($unknown)),
            ...(isset($content[$type])
                ? $this->validate(
                    self::isJson($type) ? json_decode($said->body) : ($type === 'image/gif' ? 'GIF' : $said->body),
                    "{$pointer}/content/".self::escaped($type).'/schema',
                    $said->body,
                )
                : ["has the media type {$type}"]),
        ];
    }

    /** @return list<string> what a request that was taken has that should not have been */
    public function complaintsOfRequest(Said $said): array
    {
        $at = '#/paths/'.self::escaped($said->ask->path).'/'.strtolower($said->ask->method).'/requestBody/content';
        $type = isset($said->ask->headers['ce-specversion']) ? '*/*' : $said->ask->type();
        $body = isset($said->ask->headers['Content-Encoding'])
            ? (string) gzuncompress($said->ask->body)
            : $said->ask->body;

        if (! isset($this->at($at)[$type])) {
            return ["was sent as {$type}"];
        }

        return $this->validate(
            self::isJson($type) ? json_decode($body) : $body,
            "{$at}/".self::escaped($type).'/schema',
            $body,
        );
    }

    /** @return array<string, string> pointers of the headers of a response, by name in lower case */
    public function headers(string $pointer): array
    {
        $headers = [];
        $described = $this->at($pointer)['headers'] ?? [];

        foreach (is_array($described) ? array_keys($described) : [] as $name) {
            $headers[strtolower((string) $name)] = $this->resolved("{$pointer}/headers/{$name}");
        }

        return $headers;
    }

    /** @return list<string> every code that a schema of it names */
    public function codes(): array
    {
        $codes = [];
        $walk = static function (mixed $node) use (&$walk, &$codes): void {
            if (is_array($node)) {
                $code = is_array($node['code'] ?? null) ? $node['code'] : [];
                $named = array_filter(
                    [...(is_array($code['enum'] ?? null) ? $code['enum'] : []), $code['const'] ?? null],
                    is_string(...),
                );
                $codes = [...$codes, ...$named];
                array_map($walk, $node);
            }
        };
        $walk($this->at('#/components/schemas'));

        return array_values(array_unique($codes));
    }

    /** @return list<string> components that nothing refers to, such as "responses/NotFound" */
    public function unused(): array
    {
        $unused = [];
        $text = (string) json_encode($this->document, JSON_UNESCAPED_SLASHES);

        foreach (['parameters', 'headers', 'responses', 'schemas'] as $kind) {
            foreach (array_keys($this->at("#/components/{$kind}")) as $name) {
                if (! str_contains($text, "\"#/components/{$kind}/{$name}\"")) {
                    $unused[] = "{$kind}/{$name}";
                }
            }
        }

        return $unused;
    }

    /** @return array<array-key, mixed> */
    public function at(string $pointer): array
    {
        $node = $this->document;

        foreach (array_slice(explode('/', $pointer), 1) as $part) {
            $part = str_replace(['~1', '~0'], ['/', '~'], $part);
            $node = is_array($node) ? $node[$part] ?? null : null;
        }

        return is_array($node) ? $node : throw new RuntimeException("Nothing is at {$pointer}.");
    }

    private function resolved(string $pointer): string
    {
        $reference = $this->at($pointer)['$ref'] ?? null;

        return is_string($reference) ? $this->resolved($reference) : $pointer;
    }

    /** @return list<string> */
    private function validate(mixed $value, string $pointer, string $what): array
    {
        $result = $this->validator->validate($value, self::ID.str_replace('+', '%2B', $pointer));
        $error = $result->error();

        return $error === null
            ? []
            : [substr($what, 0, 500).' is not as described: '.json_encode((new ErrorFormatter)->format($error))];
    }

    private static function isJson(string $type): bool
    {
        return preg_match('~[/+]json\z~', $type) === 1;
    }

    private static function escaped(string $part): string
    {
        return str_replace(['~', '/'], ['~0', '~1'], $part);
    }
}
