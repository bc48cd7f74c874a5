<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Closure;
use Headroom\Core\Clock;
use OutOfBoundsException;
use Random\Randomizer;

/**
 * All variants, each with a pool that runs throughout: a change of the machine's speed affects all of them.
 *
 * @internal
 */
final readonly class VariantPools
{
    /** @param array<string, VariantPool> $pools by the variant's name, in the order of the variants */
    private function __construct(private array $pools, private Randomizer $random) {}

    /**
     * @template T
     *
     * @param list<PreloadVariant> $variants
     * @param Closure(self): T $do
     * @return T
     */
    public static function run(array $variants, Randomizer $random, Clock $clock, Closure $do): mixed
    {
        $pools = [];

        try {
            foreach ($variants as $variant) {
                $pools[$variant->name] = VariantPool::start($variant, $clock);
            }

            return $do(new self($pools, $random));
        } finally {
            foreach ($pools as $pool) {
                $pool->stop();
            }
        }
    }

    /** @return array<string, VariantPool> */
    public function all(): array
    {
        return $this->pools;
    }

    public function named(string $variant): VariantPool
    {
        return $this->pools[$variant] ?? throw new OutOfBoundsException("No variant is called {$variant}.");
    }

    /** @return list<VariantPool> in another order each time, so that no pool is always the first of a round */
    public function shuffled(): array
    {
        return $this->random->shuffleArray($this->pools);
    }
}
