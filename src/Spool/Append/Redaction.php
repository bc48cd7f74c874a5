<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Spool\Encoding\StructuredValue;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\Utf8;
use Headroom\Support\InvalidConfig;
use JsonSerializable;
use stdClass;
use Stringable;
use Throwable;

/**
 * Replaces values of an event that must not reach any disk. It searches arrays, objects and JSON text alike, and
 * refuses an event that it cannot search completely.
 *
 * @internal
 */
final readonly class Redaction
{
    public const REPLACEMENT = '[redacted]';

    /**
     * @param array<string, true> $names keys in lower case, searched for at every depth
     * @param list<non-empty-list<string>> $paths keys in lower case, from the top of the event
     * @param list<array{string, Closure(array<array-key, mixed>, string): mixed}> $callables each with its name
     */
    private function __construct(
        private array $names,
        private array $paths,
        private array $callables,
        private Utf8 $utf8,
    ) {}

    /** @throws InvalidConfig */
    public static function of(string $path, mixed $entries, Utf8 $utf8): self
    {
        if (! is_array($entries) || ! array_is_list($entries)) {
            throw InvalidConfig::notAllowed(
                $path,
                $entries,
                "a list of keys and classes, such as ['password', 'card.number', App\\Redactor::class]",
            );
        }

        $names = [];
        $paths = [];
        $callables = [];

        foreach ($entries as $number => $entry) {
            // A name without a namespace is always a key, because Laravel has a class alias named Password.
            if (is_array($entry) || (is_string($entry) && preg_match('/\\\\|::/', $entry) === 1)) {
                $callables[] = self::callable("{$path}.{$number}", $entry);
            } elseif (
                ! is_string($entry)
                || $entry === ''
                || in_array('', $keys = explode('.', mb_strtolower($entry)), true)
            ) {
                throw InvalidConfig::notAllowed(
                    "{$path}.{$number}",
                    $entry,
                    "a key, keys joined by dots, a class with __invoke(), or [class, 'method']",
                );
            } elseif (count($keys) === 1) {
                $names[$keys[0]] = true;
            } else {
                $paths[] = $keys;
            }
        }

        return new self($names, $paths, $callables, $utf8);
    }

    /**
     * @param array<array-key, mixed> $row
     * @return array<array-key, mixed>
     *
     * @throws InvalidEvent
     */
    public function apply(array $row, string $bucket): array
    {
        if ($this->names !== [] || $this->paths !== []) {
            foreach ($row as $column => $value) {
                $row[$column] = $this->column((string) $column, $value);
            }
        }

        foreach ($this->callables as [$name, $callable]) {
            try {
                $redacted = $callable($row, $bucket);
            } catch (Throwable $e) {
                throw InvalidEvent::notRedacted(
                    $name,
                    'threw '.get_debug_type($e).' in '.basename($e->getFile()).":{$e->getLine()}",
                );
            }

            $row = is_array($redacted)
                ? $redacted
                : throw InvalidEvent::notRedacted($name, 'returned '.get_debug_type($redacted));
        }

        return $row;
    }

    private function column(string $column, mixed $value): mixed
    {
        $pathsBelow = $this->pathsBelow($column, $this->paths);

        if ($pathsBelow === null) {
            return $value === null ? null : self::REPLACEMENT;
        }

        if ($value instanceof Stringable) {
            $value = StructuredValue::ofStringable($column, $value);
        }

        if (is_string($value)) {
            return $this->text($column, $value, $pathsBelow);
        }

        if (! is_array($value) && ! $value instanceof JsonSerializable) {
            return $value;
        }

        $changed = false;
        $plain = $this->redacted(
            $column,
            self::decoded($column, StructuredValue::of($column, $value, $this->utf8)->text),
            $pathsBelow,
            $changed,
        );

        // The keys of an object may look like those of a list. The wrapper makes json_encode() write an object again.
        return ! $changed ? $value : (is_array($plain) ? $plain : new class($plain) implements JsonSerializable
        {
            public function __construct(private readonly mixed $plain) {}

            public function jsonSerialize(): mixed
            {
                return $this->plain;
            }
        });
    }

    /** @param list<non-empty-list<string>> $paths */
    private function text(string $path, string $value, array $paths): string
    {
        if (preg_match('/\A\s*[\[{"]/', $value) !== 1) {
            return $value;
        }

        $changed = false;
        $plain = $this->redacted($path, self::decoded($path, $value), $paths, $changed);

        return $changed || self::hasRepeatedKey($value, $plain)
            ? (string) json_encode($plain, JSON_PRESERVE_ZERO_FRACTION)
            : $value;
    }

    private static function decoded(string $path, string $json): mixed
    {
        $plain = json_decode($json, flags: JSON_BIGINT_AS_STRING | JSON_INVALID_UTF8_SUBSTITUTE);

        return match (json_last_error()) {
            JSON_ERROR_DEPTH => throw InvalidEvent::notRedacted(
                $path,
                'is JSON text that is nested too deeply to be searched',
            ),
            JSON_ERROR_INVALID_PROPERTY_NAME => throw InvalidEvent::notRedacted(
                $path,
                'has a key that begins with a NUL byte and cannot be searched',
            ),
            default => $plain,
        };
    }

    /**
     * Whether the text has a key twice: json_decode() returns only the last of the two, and the first was not searched.
     */
    private static function hasRepeatedKey(string $json, mixed $plain): bool
    {
        if (! is_array($plain) && ! $plain instanceof stdClass) {
            return false;
        }

        $withoutTexts = preg_replace('/"(?:[^"\\\\]++|\\\\.)*+"/s', '', $json);

        return $withoutTexts === null || substr_count($withoutTexts, ':') !== self::members($plain);
    }

    private static function members(mixed $plain): int
    {
        $all = is_array($plain) || $plain instanceof stdClass ? (array) $plain : [];

        return ($plain instanceof stdClass ? count($all) : 0) + array_sum(array_map(self::members(...), $all));
    }

    /** @param list<non-empty-list<string>> $paths relative to this value */
    private function redacted(string $path, mixed $plain, array $paths, bool &$changed): mixed
    {
        if (is_string($plain)) {
            $text = $this->text($path, $plain, $paths);
            $changed = $changed || $text !== $plain;

            return $text;
        }

        foreach (is_array($plain) || $plain instanceof stdClass ? (array) $plain : [] as $key => $member) {
            $pathsBelow = $this->pathsBelow((string) $key, $paths);
            $redacted = $pathsBelow === null
                ? ($member === null ? null : self::REPLACEMENT)
                : $this->redacted("{$path}.{$key}", $member, $pathsBelow, $changed);
            $changed = $changed || ($pathsBelow === null && $member !== null);

            if ($plain instanceof stdClass) {
                $plain->{(string) $key} = $redacted;
            } elseif (is_array($plain)) {
                $plain[$key] = $redacted;
            }
        }

        return $plain;
    }

    /**
     * @param list<non-empty-list<string>> $paths
     * @return ?list<non-empty-list<string>> the remainders of the paths that lead through the key; null when the key
     *     itself is to be redacted
     */
    private function pathsBelow(string $key, array $paths): ?array
    {
        $key = mb_strtolower($key);
        $remainders = [];

        if (isset($this->names[$key])) {
            return null;
        }

        foreach ($paths as $path) {
            if ($path[0] === $key || $path[0] === '*') {
                $rest = array_slice($path, 1);

                if ($rest === []) {
                    return null;
                }

                $remainders[] = $rest;
            }
        }

        return $remainders;
    }

    /**
     * @param string|array<array-key, mixed> $entry
     * @return array{string, Closure(array<array-key, mixed>, string): mixed}
     */
    private static function callable(string $path, string|array $entry): array
    {
        [
            $class, $method,
        ] = is_array($entry) ? [$entry[0] ?? null, $entry[1] ?? null] : [...explode('::', $entry, 2), '__invoke'];

        if (
            ! is_string($class)
            || ! is_string($method)
            || ! class_exists($class)
            || ! method_exists($class, $method)
            || (is_array($entry) && count($entry) !== 2)
        ) {
            throw InvalidConfig::notAllowed(
                $path,
                $entry,
                "a class with __invoke(), or [class, 'method'], public, which gets the row and the bucket's name and"
                    .' returns the row',
            );
        }

        return ["{$class}::{$method}", static function (array $row, string $bucket) use ($class, $method): mixed {
            $callable = [$class, $method];

            if (! is_callable($callable)) {
                // The method is not static, so it needs an object. The object is created only when an event arrives.
                $callable = [new $class, $method];
            }

            return is_callable($callable) ? $callable($row, $bucket) : null;
        }];
    }
}
