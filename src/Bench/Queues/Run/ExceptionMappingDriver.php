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
 * A driver whose failures of any kind become a HeadroomException that names it, so that one failing driver does not
 * end the measurement of the others.
 *
 * @internal
 */
final readonly class ExceptionMappingDriver implements Driver, NeedsStatistics
{
    public function __construct(private Driver $driver, private string $name) {}

    public static function around(DriverUnderTest $underTest): DriverUnderTest
    {
        $name = $underTest->variant->name;

        return new DriverUnderTest($underTest->variant, new self($underTest->driver, $name), $underTest->work);
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
            // Such as Interrupted, after Ctrl-C.
            throw $e;
        } catch (Throwable $e) {
            throw Interrupted::within($e) ?? UnableToBench::driver($this->name, $words, $e);
        }
    }
}
