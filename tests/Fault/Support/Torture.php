<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Tests\Support\Sample;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * How much of a fault test is run, and where what it counted goes: `make test` takes a sample, `make torture`
 * everything, one database after another.
 *
 * HEADROOM_TORTURE is set by dev/torture.php, HEADROOM_TORTURE_DATABASE and HEADROOM_TORTURE_COUNTS (a file), too.
 * HEADROOM_SEED repeats a sample; without it the day is the seed.
 */
final readonly class Torture
{
    private function __construct(
        public bool $isOn,
        public Database $database,
        public int $seed,
        private ?string $counts,
    ) {}

    public static function fromEnvironment(): self
    {
        return new self(
            self::read('HEADROOM_TORTURE') !== null,
            Database::from(self::read('HEADROOM_TORTURE_DATABASE') ?? Database::Sqlite->value),
            Sample::seed(),
            self::read('HEADROOM_TORTURE_COUNTS'),
        );
    }

    /** @return array<string, array{Database}> */
    public static function databases(): array
    {
        $torture = self::fromEnvironment();

        return $torture->isOn
            ? array_filter(Database::byName(), static fn (array $one): bool => $one === [$torture->database])
            : Database::sampled();
    }

    public static function seconds(int $otherwise): int
    {
        return max(1, (int) (self::read('HEADROOM_TORTURE_SECONDS') ?? $otherwise));
    }

    public function randomizer(): Randomizer
    {
        return new Randomizer(new Mt19937($this->seed));
    }

    /**
     * @template T
     *
     * @param list<T> $all
     * @param int<1, max> $step
     * @return list<T> every one, or every $step-th from a random one on
     */
    public function sample(array $all, int $step): array
    {
        if ($this->isOn || $all === []) {
            return $all;
        }

        $first = $this->randomizer()->getInt(0, min($step, count($all)) - 1);

        return array_values(array_filter(
            $all,
            static fn (int $n): bool => $n % $step === $first,
            ARRAY_FILTER_USE_KEY,
        ));
    }

    /** @param array<string, int> $counts */
    public function count(array $counts): void
    {
        if ($this->counts !== null) {
            file_put_contents($this->counts, json_encode($counts, JSON_THROW_ON_ERROR)."\n", FILE_APPEND);
        }
    }

    /** Prints a line about the run, also when it is green. */
    public function say(string $line): void
    {
        fwrite(STDERR, "\n    {$line}, seed {$this->seed}\n");
    }

    private static function read(string $name): ?string
    {
        $value = getenv($name);

        return $value === false || $value === '' ? null : $value;
    }
}
