<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\InvalidPlan;
use JsonException;
use stdClass;

/**
 * A value of a scenario file with its place in the file, which error messages name.
 *
 * @internal
 */
final readonly class JsonNode
{
    private const MOST_BYTES = 16_777_216;

    private const FLAGS = JSON_THROW_ON_ERROR
        | JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_UNICODE
        | JSON_PRESERVE_ZERO_FRACTION;

    /**
     * @param mixed $value decoded with integers beyond 64 bits as texts, which keep all their digits
     * @param mixed $plain decoded with these integers as floats, which distinguishes them from texts
     */
    private function __construct(
        private string $file,
        private string $key,
        private mixed $value,
        private mixed $plain,
    ) {}

    /** @throws InvalidPlan */
    public static function read(string $file): self
    {
        // One byte more than allowed is enough to see that the file is too large.
        $text = is_file($file) ? @file_get_contents($file, false, null, 0, self::MOST_BYTES + 1) : false;

        if ($text === false) {
            throw InvalidPlan::unreadable('scenario', $file);
        }

        if (strlen($text) > self::MOST_BYTES) {
            throw InvalidPlan::scenario(
                $file,
                '',
                'has more than '.self::MOST_BYTES.' bytes',
                'a smaller file: rows of values belong in the CSV file that data names',
            );
        }

        try {
            $value = json_decode($text, flags: JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
            $plain = json_decode($text, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException $e) {
            throw InvalidPlan::scenario(
                $file,
                '',
                "is not JSON ({$e->getMessage()})",
                'a JSON object with the key steps',
            );
        }

        // PHP decodes 1e999 as infinity, which it cannot encode again.
        return json_encode($value) === false && json_last_error() === JSON_ERROR_INF_OR_NAN
            ? throw InvalidPlan::scenario(
                $file,
                '',
                'has a number beyond 1.8e308',
                "JSON with smaller numbers; write a body with a larger one as text, in 'body' instead of 'json'",
            )
            : new self($file, '', $value, $plain);
    }

    /** @throws InvalidPlan if it is not an object, or has a member with another name */
    public function demandOnly(string ...$known): void
    {
        foreach (array_keys($this->members()) as $name) {
            if (! in_array($name, $known, true)) {
                throw InvalidPlan::scenario(
                    $this->file,
                    $this->path($name),
                    'is not known',
                    'one of '.implode(', ', $known),
                );
            }
        }
    }

    public function at(string $name): ?self
    {
        return $this->value instanceof stdClass && property_exists($this->value, $name) ? $this->child($name) : null;
    }

    /** @return array<string, self> by name */
    public function members(): array
    {
        if (! $this->value instanceof stdClass) {
            throw $this->wrong($this->key === '' ? 'a JSON object with the key steps' : 'an object');
        }

        $members = [];

        foreach (array_keys(get_object_vars($this->value)) as $name) {
            $members[(string) $name] = $this->child((string) $name);
        }

        return $members;
    }

    /** @return list<self> */
    public function items(): array
    {
        if (! is_array($this->value)) {
            throw $this->wrong('a list');
        }

        $items = [];

        foreach (array_values($this->value) as $i => $value) {
            $items[] = new self(
                $this->file,
                "{$this->key}[{$i}]",
                $value,
                is_array($this->plain) ? $this->plain[$i] : null,
            );
        }

        return $items;
    }

    public function text(): string
    {
        return is_string($this->value) && is_string($this->plain) ? $this->value : throw $this->wrong('a text');
    }

    /** A text, or a number as text. */
    public function word(): string
    {
        return match (true) {
            is_string($this->value) => $this->value,
            is_int($this->value), is_float($this->value) => $this->json(),
            default => throw $this->wrong('a text or a number'),
        };
    }

    public function number(float $min, float $max): float
    {
        return (is_int($this->value) || is_float($this->value)) && $this->value >= $min && $this->value <= $max
            ? (float) $this->value
            : throw $this->wrong("a number from {$min} to {$max}");
    }

    /** The value as JSON, with all digits of each integer. */
    public function json(): string
    {
        return self::encode($this->value, $this->plain);
    }

    public function isTrue(): bool
    {
        return is_bool($this->value) ? $this->value : throw $this->wrong('true or false');
    }

    public function isList(): bool
    {
        return is_array($this->value);
    }

    public function wrong(string $allowed): InvalidPlan
    {
        return InvalidPlan::scenario($this->file, $this->key, "is {$this->json()}", $allowed);
    }

    public function invalid(InvalidPlan $reason): InvalidPlan
    {
        return InvalidPlan::step($this->file, $this->key, $reason);
    }

    public function missing(string $name, string $allowed): InvalidPlan
    {
        return InvalidPlan::scenario($this->file, $this->path($name), 'is missing', $allowed);
    }

    private function child(string $name): self
    {
        [$value, $plain] = [$this->value, $this->plain];

        return new self(
            $this->file,
            $this->path($name),
            $value instanceof stdClass ? $value->{$name} : null,
            $plain instanceof stdClass ? $plain->{$name} : null,
        );
    }

    private static function encode(mixed $value, mixed $plain): string
    {
        if (is_array($value) && is_array($plain)) {
            return '['.implode(',', array_map(self::encode(...), $value, $plain)).']';
        }

        if (! $value instanceof stdClass || ! $plain instanceof stdClass) {
            return is_string($value) && is_float($plain) ? $value : json_encode($value, self::FLAGS);
        }

        $members = [];

        foreach (array_map(strval(...), array_keys(get_object_vars($value))) as $name) {
            $members[] = json_encode($name, self::FLAGS).':'.self::encode($value->{$name}, $plain->{$name});
        }

        return '{'.implode(',', $members).'}';
    }

    private function path(string $name): string
    {
        return $this->key === '' ? $name : "{$this->key}.{$name}";
    }
}
