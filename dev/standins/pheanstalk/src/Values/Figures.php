<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

use InvalidArgumentException;

/**
 * The dictionary in the response to a stats command: one "key: value" per line, quoted as in YAML.
 */
final class Figures
{
    /** @param array<string, string> $values */
    private function __construct(private readonly array $values) {}

    public static function of(string $yaml): self
    {
        preg_match_all('/^([a-z-]+): (.*?)\r?$/m', $yaml, $lines);

        return new self(array_combine(
            $lines[1],
            array_map(static fn (string $value): string => trim($value, '"'), $lines[2]),
        ));
    }

    public function text(string $key): string
    {
        return $this->values[$key] ?? throw new InvalidArgumentException("The server sent no {$key}.");
    }

    public function number(string $key): int
    {
        return (int) $this->text($key);
    }

    /**
     * @param list<string> $keys
     * @return array<string, int> by property name: total-jobs is totalJobs
     */
    public function numbers(array $keys): array
    {
        $numbers = [];

        foreach ($keys as $key) {
            $numbers[lcfirst(str_replace('-', '', ucwords($key, '-')))] = $this->number($key);
        }

        return $numbers;
    }
}
