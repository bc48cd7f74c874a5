<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

/**
 * The memory that a Redis has left before it evicts keys or refuses writes.
 *
 * @internal
 */
final readonly class RedisMemory
{
    /** The divisor of the part that is left to the application, which goes on writing. */
    private const LEFT = 10;

    /** Without maxmemory, the limit is this part of the machine's memory. */
    private const MACHINE = 2;

    /** The memory of jobs of 0.3 to 60 kB in the lists of Redis 7, in percent of their bytes, rounded up. */
    private const PERCENT = 125;

    /** In addition to its payload, such as its entry in the list that wakes workers. */
    private const BYTES = 64;

    /** Redis holds a transaction until it executes it: the next jobs, several times. */
    private const TRANSACTION = 8_000_000;

    /**
     * @param int $most bytes, 0 without maxmemory
     * @param int $machine bytes, 0 if the server does not report them
     */
    private function __construct(private int $most, private int $used, private string $policy, private int $machine) {}

    /** @param array<string, string> $info the section memory; null if a needed figure is missing */
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

    /** The room that is left, and the consequence of more jobs. */
    public function words(): string
    {
        $limit = self::megabytes($this->limit());

        return 'this Redis has room for '.self::megabytes($this->room()).': '.($this->most > 0
            ? "maxmemory is {$limit} ({$this->policy}), of which ".self::megabytes($this->used)
                .' are used, and a tenth is left to the application. '
                .($this->policy === 'noeviction'
                    ? 'It would refuse writes of the application.'
                    : 'It would evict keys of the application.')
            : "it has no maxmemory, so half of its machine's memory is the limit, {$limit}, of which "
                .self::megabytes($this->used).' are used. More would take memory from other processes.');
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
