<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

/**
 * How much more a Redis takes before it evicts keys, or refuses to write any.
 *
 * @internal
 */
final readonly class RedisMemory
{
    /** One part in so many is left to the application, which goes on writing. */
    private const LEFT = 10;

    /** Without maxmemory one part in so many of the machine's memory is the limit. */
    private const MACHINE = 2;

    /** Parts in a hundred that jobs of 0.3 to 60 kB took at most in the lists of Redis 7, and some more. */
    private const PERCENT = 125;

    /** Beside its payload: its part in the list by which workers are woken, say. */
    private const BYTES = 64;

    /** What Redis holds of a transaction until it is executed: the next jobs, several times. */
    private const TRANSACTION = 8_000_000;

    /**
     * @param int $most bytes, 0 without maxmemory
     * @param int $machine bytes, 0 when it does not tell
     */
    private function __construct(private int $most, private int $used, private string $policy, private int $machine) {}

    /** @param array<string, string> $info the section memory; null when it does not say what has to be known */
    public static function told(array $info): ?self
    {
        $number = static fn (string $name): int => (int) ($info[$name] ?? '0');
        $memory = new self(
            $number('maxmemory'),
            $number('used_memory'),
            $info['maxmemory_policy'] ?? '',
            $number('total_system_memory'),
        );

        return isset($info['maxmemory'], $info['used_memory']) && $memory->limit() > 0 ? $memory : null;
    }

    /**
     * @param int $bytes of each payload
     * @return int bytes
     */
    public static function needed(int $jobs, int $bytes): int
    {
        return self::TRANSACTION + $jobs * (intdiv($bytes * self::PERCENT, 100) + self::BYTES);
    }

    public function has(int $bytes): bool
    {
        return $bytes <= $this->room();
    }

    /** What it has, and what happens when it gets more. */
    public function words(): string
    {
        $limit = self::megabytes($this->limit());

        return 'this Redis has room for '.self::megabytes($this->room()).': '.($this->most > 0
            ? "maxmemory is {$limit} ({$this->policy}), of which ".self::megabytes($this->used)
                .' are used, and a tenth is left to the application. '
                .($this->policy === 'noeviction'
                    ? 'It would refuse what the application writes.'
                    : 'It would evict what the application keeps there.')
            : "it has no maxmemory, so half of its machine's memory is the limit, {$limit}, of which "
                .self::megabytes($this->used).' are used. It would take the memory of others.');
    }

    public static function megabytes(int $bytes): string
    {
        return number_format($bytes / 1_000_000, 1).' MB';
    }

    private function room(): int
    {
        return max(0, $this->limit() - ($this->most > 0 ? intdiv($this->most, self::LEFT) : 0) - $this->used);
    }

    private function limit(): int
    {
        return $this->most > 0 ? $this->most : intdiv($this->machine, self::MACHINE);
    }
}
