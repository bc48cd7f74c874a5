<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\InvalidPlan;
use JsonException;
use stdClass;

/**
 * A value in a scenario file that knows where it stands, so that whatever is wrong with it is said of its place.
 *
 * @internal
 */
final readonly class Node
{
    private const MOST_BYTES = 16_777_216;

    private const FLAGS = JSON_THROW_ON_ERROR
        | JSON_UNESCAPED_SLASHES
        | JSON_UNESCAPED_UNICODE
        | JSON_PRESERVE_ZERO_FRACTION;

    /**
     * @param mixed $value integers beyond 64 bits are texts with all their digits in it
     * @param mixed $plain the same with floats in their place, which tells them from texts
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
        // A byte more than it may have tells of all the others.
        $text = is_file($file) ? @file_get_contents($file, false, null, 0, self::MOST_BYTES + 1) : false;

        if ($text === false) {
            throw InvalidPlan::unreadable('scenario', $file);
        }

        if (strlen($text) > self::MOST_BYTES) {
            throw InvalidPlan::scenario(
                $file,
                '',
                'has more than '.self::MOST_BYTES.' bytes',
                'a shorter file; rows of values belong into the file that data names',
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
                'one JSON object with the key steps',
            );
        }

        // What PHP takes for infinite it can not write as JSON again.
        return json_encode($value) === false && json_last_error() === JSON_ERROR_INF_OR_NAN
            ? throw InvalidPlan::scenario(
                $file,
                '',
                'has a number beyond 1.8e308',
                "JSON with numbers below that; a body with a larger one is written as text, in 'body'"
                    ." instead of 'json'",
            )
            : new self($file, '', $value, $plain);
    }

    /** @throws InvalidPlan when it is no object, or has a member of another name */
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
            throw $this->wrong('an object');
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

    /** A text that may be written as a number. */
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

    /** As it was read, each integer with all its digits. */
    public function json(): string
    {
        return self::written($this->value, $this->plain);
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

    private static function written(mixed $value, mixed $plain): string
    {
        if (is_array($value) && is_array($plain)) {
            return '['.implode(',', array_map(self::written(...), $value, $plain)).']';
        }

        if (! $value instanceof stdClass || ! $plain instanceof stdClass) {
            return is_string($value) && is_float($plain) ? $value : json_encode($value, self::FLAGS);
        }

        $members = [];

        foreach (array_map(strval(...), array_keys(get_object_vars($value))) as $name) {
            $members[] = json_encode($name, self::FLAGS).':'.self::written($value->{$name}, $plain->{$name});
        }

        return '{'.implode(',', $members).'}';
    }

    private function path(string $name): string
    {
        return $this->key === '' ? $name : "{$this->key}.{$name}";
    }
}
