<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * A child at its post. Times are nanoseconds of the clock that never runs backwards.
 *
 * @internal
 */
final class Hand
{
    public bool $isReady = false;

    public int $heardAt;

    /** @var array<string, int|bool> what its last beat told */
    public array $figures = [];

    /** Until then it may finish; null: nobody has told it to. */
    public ?int $endBy = null;

    public bool $isKilled = false;

    /** Why it wants to be replaced. */
    public ?string $wish = null;

    public function __construct(public readonly ChildProcess $child, public readonly int $startedAt)
    {
        $this->heardAt = $startedAt;
    }

    /** Reads what it said. */
    public function listen(int $now): void
    {
        foreach ($this->child->hear() as $line) {
            [$word, $rest] = explode(' ', "{$line} ", 2);
            $this->heardAt = $now;

            match ($word) {
                'ready' => $this->isReady = true,
                'beat' => $this->figures = self::decoded(trim($rest)),
                'recycle' => $this->wish = trim($rest),
                default => null,
            };
        }
    }

    public function kill(): void
    {
        $this->isKilled = true;
        $this->child->signal(9);
    }

    /** @return array<string, int|bool> */
    private static function decoded(string $json): array
    {
        $value = json_decode($json, true, 8);
        $figures = [];

        foreach (is_array($value) ? $value : [] as $name => $figure) {
            if (is_int($figure) || is_bool($figure)) {
                $figures[(string) $name] = $figure;
            }
        }

        return $figures;
    }
}
