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

    private function __construct(private string $file, private string $key, public mixed $value) {}

    /** @throws InvalidPlan */
    public static function read(string $file): self
    {
        // A byte more than it may have tells of all the others.
        $text = is_file($file) ? @file_get_contents($file, false, null, 0, self::MOST_BYTES + 1) : false;

        if ($text === false) {
            throw InvalidPlan::unreadable('scenario', $file);
        }

        if (strlen($text) > self::MOST_BYTES) {
            throw InvalidPlan::scenario($file, '', 'has more than '.self::MOST_BYTES.' bytes', 'a shorter file; rows of values belong into the file that data names');
        }

        try {
            return new self($file, '', json_decode($text, flags: JSON_THROW_ON_ERROR));
        } catch (JsonException $e) {
            throw InvalidPlan::scenario($file, '', "is not JSON ({$e->getMessage()})", 'one JSON object with the key steps');
        }
    }

    /** @throws InvalidPlan when it is no object, or has a member of another name */
    public function demandOnly(string ...$known): void
    {
        foreach (array_keys($this->members()) as $name) {
            if (! in_array($name, $known, true)) {
                throw InvalidPlan::scenario($this->file, $this->path($name), 'is not known', 'one of '.implode(', ', $known));
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
            $items[] = new self($this->file, "{$this->key}[{$i}]", $value);
        }

        return $items;
    }

    public function text(): string
    {
        return is_string($this->value) ? $this->value : throw $this->wrong('a text');
    }

    /** A text that may be written as a number. */
    public function word(): string
    {
        return is_int($this->value) || is_float($this->value) || is_string($this->value) ? (string) $this->value : throw $this->wrong('a text or a number');
    }

    public function number(float $min, float $max): float
    {
        return (is_int($this->value) || is_float($this->value)) && $this->value >= $min && $this->value <= $max ? (float) $this->value : throw $this->wrong("a number from {$min} to {$max}");
    }

    public function json(): string
    {
        return json_encode($this->value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
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
        return InvalidPlan::scenario($this->file, $this->key, 'is '.json_encode($this->value, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR), $allowed);
    }

    public function missing(string $name, string $allowed): InvalidPlan
    {
        return InvalidPlan::scenario($this->file, $this->path($name), 'is missing', $allowed);
    }

    private function child(string $name): self
    {
        return new self($this->file, $this->path($name), $this->value instanceof stdClass ? $this->value->{$name} : null);
    }

    private function path(string $name): string
    {
        return $this->key === '' ? $name : "{$this->key}.{$name}";
    }
}
