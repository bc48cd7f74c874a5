<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Reads a configuration array: each value is validated and typed. Errors name the full key.
 */
final readonly class ConfigReader
{
    /**
     * @param array<array-key, mixed> $values
     * @param string $path key of the array itself, such as "spool.buckets.api-events"
     * @param list<string> $others known keys that another reader has taken out of the values
     * @param array<string, string> $inherited the whole keys of values that were set in another place, by name
     */
    public function __construct(
        private array $values,
        public string $path,
        private array $others = [],
        private array $inherited = [],
    ) {}

    /**
     * Adds the settings of another place for keys that are missing or null here.
     *
     * @param array<string, string> $inherited more whole keys, by name
     */
    public function withDefaults(self $defaults, array $inherited = []): self
    {
        $own = array_filter($this->values, static fn (mixed $value): bool => $value !== null);

        foreach (array_keys(array_diff_key($defaults->values, $own)) as $name) {
            $inherited[(string) $name] = $defaults->key((string) $name);
        }

        return new self($own + $defaults->values, $this->path, $this->others, $inherited);
    }

    /**
     * @param list<string> $known
     * @param array<string, string> $renamed the new name of a key, by the old one
     */
    public function only(array $known, array $renamed = []): self
    {
        foreach (array_keys($this->values) as $key) {
            if (! in_array((string) $key, $known, true)) {
                throw isset($renamed[$key])
                    ? InvalidConfig::renamed($this->key((string) $key), $this->values[$key], $renamed[$key])
                    : InvalidConfig::unknownKey($this->key((string) $key), [...$this->others, ...$known]);
            }
        }

        return $this;
    }

    /** @return non-empty-string */
    public function string(string $name, ?string $default = null): string
    {
        $value = $this->values[$name]
            ?? $default
            ?? throw InvalidConfig::missing($this->key($name), 'a non-empty string');

        return is_string($value) && $value !== ''
            ? $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, 'a non-empty string');
    }

    /** Returns a number as text, because an environment variable is always text. */
    public function scalar(string $name): string
    {
        $value = $this->values[$name] ?? '';

        return is_string($value) || is_int($value)
            ? (string) $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, 'a number or a text');
    }

    /** @return non-empty-string|null */
    public function optionalString(string $name): ?string
    {
        return isset($this->values[$name]) ? $this->string($name) : null;
    }

    /** @return ?list<non-empty-string> without duplicates; null if the key is not set */
    public function names(string $name): ?array
    {
        $value = $this->values[$name] ?? null;

        if ($value === null) {
            return null;
        }

        $allowed = "a list of different names, such as ['id']";
        $names = is_array($value) && array_is_list($value)
            ? $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, $allowed);
        foreach ($names as $one) {
            is_string($one) && $one !== '' || throw InvalidConfig::notAllowed($this->key($name), $one, $allowed);
        }

        /** @var list<non-empty-string> $names */
        return count(array_unique($names)) === count($names)
            ? $names
            : throw InvalidConfig::notAllowed($this->key($name), implode(', ', $names), $allowed);
    }

    /** False for null, the value of an environment variable that is not set. */
    public function has(string $name): bool
    {
        return isset($this->values[$name]);
    }

    /**
     * @param ?int $default null if the key is required
     * @return ($min is int<1, max> ? int<1, max> : ($min is int<0, max> ? int<0, max> : int))
     */
    public function int(string $name, int $min, int $max, ?int $default): int
    {
        $value = $this->values[$name]
            ?? $default
            ?? throw InvalidConfig::missing($this->key($name), "a whole number from {$min} to {$max}");

        // An environment variable holds a number as a string of digits.
        if (is_string($value) && preg_match('/\A-?\d{1,18}\z/', $value) === 1) {
            $value = (int) $value;
        }

        return is_int($value) && $value >= $min && $value <= $max
            ? $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, "a whole number from {$min} to {$max}");
    }

    /** Laravel's env() turns "true" into true, but leaves "1" and "0" as strings. */
    public function bool(string $name, bool $default): bool
    {
        $value = $this->values[$name] ?? $default;

        return match ($value) {
            true, 1, '1' => true,
            false, 0, '0' => false,
            default => throw InvalidConfig::notAllowed($this->key($name), $value, 'true or false'),
        };
    }

    /**
     * Reads permission bits. A string, as an environment variable holds, is octal.
     *
     * @param int $must bits that the owner needs; a mode that was written without its leading 0 lacks some of them
     * @param int $may all bits that can be set
     */
    public function mode(string $name, int $must, int $may, int $default): int
    {
        $value = $this->values[$name] ?? $default;
        $mode = is_string($value) && preg_match('/\A0?[0-7]{3,4}\z/', $value) === 1 ? intval($value, 8) : $value;

        return is_int($mode) && ($mode & $must) === $must && ($mode & ~$may) === 0
            ? $mode
            : throw InvalidConfig::notAllowed(
                $this->key($name),
                is_int($mode) ? sprintf('0%o', $mode) : $value,
                sprintf(
                    'an octal mode from 0%o to 0%o that gives the owner 0%o, such as 0%o (PHP reads a number without'
                        .' the leading 0 as decimal)',
                    $must,
                    $may,
                    $must,
                    $default,
                ),
            );
    }

    /** For a setting of several types. The caller validates the value. */
    public function any(string $name, string|int|bool $default): mixed
    {
        return $this->values[$name] ?? $default;
    }

    /** @param list<string> $allowed */
    public function oneOf(string $name, array $allowed, string $default): string
    {
        $value = $this->values[$name] ?? $default;

        return is_string($value) && in_array($value, $allowed, true)
            ? $value
            : throw InvalidConfig::notAllowed($this->key($name), $value, 'one of '.implode(', ', $allowed));
    }

    /** @param string $allowed the allowed values, in words */
    public function section(string $name, string $allowed = 'an array'): self
    {
        $value = $this->values[$name] ?? [];

        return is_array($value)
            ? new self($value, $this->key($name))
            : throw InvalidConfig::notAllowed($this->key($name), $value, $allowed);
    }

    /** Removes empty strings, the value of an environment variable that is set to nothing. */
    public function filled(): self
    {
        $filled = array_filter($this->values, static fn (mixed $value): bool => $value !== '');

        return new self($filled, $this->path, $this->others, $this->inherited);
    }

    /** @return array<string, mixed> not validated */
    public function all(): array
    {
        return array_combine($this->keys(), $this->values);
    }

    /** @return list<string> */
    public function keys(): array
    {
        return array_map(strval(...), array_keys($this->values));
    }

    /** Returns the same text for equal settings in any order. */
    public function fingerprint(): string
    {
        $values = $this->values;
        ksort($values);

        return substr(
            hash('sha256', (string) json_encode($values, JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE)),
            0,
            16,
        );
    }

    /** @param list<string> $names */
    public function without(array $names): self
    {
        return new self(array_diff_key($this->values, array_flip($names)), $this->path, $names, $this->inherited);
    }

    /** The whole key, for a message. */
    public function key(string $name): string
    {
        return $this->inherited[$name] ?? ($this->path === '' ? $name : "{$this->path}.{$name}");
    }
}
