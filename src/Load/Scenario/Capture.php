<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

/**
 * Takes a value from a response body for the next steps.
 *
 * @internal
 */
final readonly class Capture
{
    /** A control character, which no expression in a file contains. */
    private const DELIMITER = "\x01";

    /** @param ?list<string> $keys the path in a JSON document */
    private function __construct(public string $name, private string $regex, private ?array $keys) {}

    /** @return ?self null if the expression is invalid */
    public static function byRegex(string $name, string $regex): ?self
    {
        $whole = self::DELIMITER.$regex.self::DELIMITER.'s';

        return @preg_match($whole, '') === false ? null : new self($name, $whole, null);
    }

    /** @param string $path such as "data.items.0.id" */
    public static function byPath(string $name, string $path): self
    {
        return new self($name, '', explode('.', $path));
    }

    /** The first group of the expression, or the whole match; null without a match. */
    public function from(string $body): ?string
    {
        if ($this->keys !== null) {
            return self::within(json_decode($body, true, flags: JSON_BIGINT_AS_STRING), $this->keys);
        }

        return @preg_match($this->regex, $body, $m) === 1 ? $m[1] ?? $m[0] : null;
    }

    /** @param list<string> $keys */
    private static function within(mixed $value, array $keys): ?string
    {
        foreach ($keys as $key) {
            $value = is_array($value) ? $value[$key] ?? null : null;
        }

        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_string($value) || is_int($value) => (string) $value,
            // A cast to string keeps 14 digits only.
            is_float($value)
                && is_finite($value) => json_encode($value, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION),
            default => null,
        };
    }
}
