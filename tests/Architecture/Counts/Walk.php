<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * The files, classes and calls of the package that a process went through.
 */
final readonly class Walk
{
    /**
     * @param array<string, int> $calls by class
     * @param array<string, int> $switches calls whose nearest caller in the package is another class, by that pair
     * @param list<string> $files
     */
    public function __construct(public array $calls, public array $switches, public array $files) {}

    public static function fromJson(string $json): self
    {
        /** @var array{calls: array<string, int>, switches: array<string, int>, files: list<string>} $walk */
        $walk = json_decode($json, true, flags: JSON_THROW_ON_ERROR);

        return new self($walk['calls'], $walk['switches'], $walk['files']);
    }

    /** @return list<Count> */
    public function counts(string $name): array
    {
        $visited = self::mostFirst($this->calls);

        return [
            new Count("{$name}.classes", count($this->calls), $visited),
            new Count("{$name}.calls", array_sum($this->calls), $visited),
            new Count("{$name}.switches", array_sum($this->switches), self::mostFirst($this->switches)),
            Count::of("{$name}.files", $this->files),
        ];
    }

    /** @return list<string> pairs of classes that call each other */
    public function twoWay(): array
    {
        $pairs = [];

        foreach (array_keys($this->switches) as $switch) {
            [$caller, $called] = explode(' → ', $switch);

            if ($caller < $called && isset($this->switches["{$called} → {$caller}"])) {
                $pairs[] = "{$caller} ↔ {$called}";
            }
        }

        return $pairs;
    }

    /**
     * @param array<string, int> $calls
     * @return list<string>
     */
    private static function mostFirst(array $calls): array
    {
        arsort($calls);

        return array_map(static fn (string $name): string => "{$name}: {$calls[$name]} calls", array_keys($calls));
    }
}
