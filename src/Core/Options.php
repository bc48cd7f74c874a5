<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A configuration array at the border: each value is read once, checked, and typed. Errors name the whole key.
 */
final readonly class Options
{
    /**
     * @param array<array-key, mixed> $values
     * @param string $path the key of the array itself, such as "spool.buckets.api-events"
     */
    public function __construct(private array $values, public string $path) {}

    /** @param list<string> $known */
    public function only(array $known): self
    {
        foreach (array_keys($this->values) as $key) {
            if (! in_array($key, $known, true)) {
                throw InvalidConfig::unknownKey($this->key((string) $key), $known);
            }
        }

        return $this;
    }

    /** @return non-empty-string */
    public function string(string $name, ?string $default = null): string
    {
        $value = $this->values[$name] ?? $default ?? throw InvalidConfig::missing($this->key($name), 'a non-empty string');

        return is_string($value) && $value !== ''
            ? $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, 'a non-empty string');
    }

    /** @return non-empty-string|null */
    public function optionalString(string $name): ?string
    {
        return isset($this->values[$name]) ? $this->string($name) : null;
    }

    /**
     * @template TMin of int
     * @template TMax of int
     *
     * @param TMin $min
     * @param TMax $max
     * @return int<TMin, TMax>
     */
    public function int(string $name, int $min, int $max, int $default): int
    {
        $value = $this->values[$name] ?? $default;

        // A number from an environment variable is a string of digits.
        if (is_string($value) && preg_match('/\A-?\d{1,18}\z/', $value) === 1) {
            $value = (int) $value;
        }

        return is_int($value) && $value >= $min && $value <= $max
            ? $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, "a whole number from {$min} to {$max}");
    }

    public function bool(string $name, bool $default): bool
    {
        $value = $this->values[$name] ?? $default;

        return is_bool($value) ? $value : throw InvalidConfig::notAllowed($this->key($name), $value, 'true or false');
    }

    /** @param list<string> $allowed */
    public function oneOf(string $name, array $allowed, string $default): string
    {
        $value = $this->values[$name] ?? $default;

        return is_string($value) && in_array($value, $allowed, true)
            ? $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, 'one of '.implode(', ', $allowed));
    }

    public function section(string $name): self
    {
        $value = $this->values[$name] ?? [];

        return is_array($value) ? new self($value, $this->key($name)) : throw InvalidConfig::notAllowed($this->key($name), $value, 'an array');
    }

    /** @return list<string> */
    public function keys(): array
    {
        return array_map(strval(...), array_keys($this->values));
    }

    /** The same for the same settings, whatever their order. */
    public function fingerprint(): string
    {
        $values = $this->values;
        ksort($values);

        return substr(hash('sha256', json_encode($values, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE) ?: ''), 0, 16);
    }

    /** @param list<string> $names */
    public function without(array $names): self
    {
        return new self(array_diff_key($this->values, array_flip($names)), $this->path);
    }

    private function key(string $name): string
    {
        return $this->path === '' ? $name : "{$this->path}.{$name}";
    }
}
