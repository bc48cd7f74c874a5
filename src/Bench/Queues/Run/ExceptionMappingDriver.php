<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Closure;
use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\NeedsStatistics;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Workload;
use Headroom\Core\HeadroomException;
use Throwable;

/**
 * A driver whose failures, of whatever kind, are ours and name it: one that can not be measured does not end
 * the measurement of others.
 *
 * @internal
 */
final readonly class ExceptionMappingDriver implements Driver, NeedsStatistics
{
    public function __construct(private Driver $driver, private string $name) {}

    public static function around(DriverUnderTest $contender): DriverUnderTest
    {
        $name = $contender->variant->name;

        return new DriverUnderTest($contender->variant, new self($contender->driver, $name), $contender->work);
    }

    public function push(int $first, int $count, Workload $workload): void
    {
        $this->tried('pushing jobs', fn () => $this->driver->push($first, $count, $workload));
    }

    public function size(): int
    {
        return $this->tried('counting jobs', $this->driver->size(...));
    }

    public function reset(): void
    {
        $this->tried('emptying the queue', $this->driver->reset(...));
    }

    public function analyze(): void
    {
        $this->driver instanceof NeedsStatistics
            ? $this->tried('analyzing the queue', $this->driver->analyze(...))
            : null;
    }

    /**
     * @template T
     * @param Closure(): T $what
     * @return T
     * @throws UnableToBench
     */
    private function tried(string $words, Closure $what): mixed
    {
        try {
            return $what();
        } catch (HeadroomException $e) {
            // Ctrl-C is one, too.
            throw $e;
        } catch (Throwable $e) {
            throw Interrupted::within($e) ?? UnableToBench::driver($this->name, $words, $e);
        }
    }
}
