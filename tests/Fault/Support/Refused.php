<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;
use Headroom\Core\SystemClock;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\RefusalCounts;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\UnableToAppend;
use RuntimeException;

/**
 * A writer that may be refused and does then as the bucket's `overflow` says.
 */
final readonly class Refused
{
    public function __construct(private World $world) {}

    /**
     * @param list<string> $arguments the bucket, then ids
     * @return array<string, mixed> the failure of each id that threw
     */
    public function append(array $arguments): array
    {
        $bucket = $this->world->runtime()->buffer()->bucket($arguments[0]);
        $thrown = [];

        foreach (array_slice($arguments, 1) as $id) {
            try {
                $bucket->add(Event::of($id));
            } catch (UnableToAppend $e) {
                $thrown[$id] = $e->failure->value;
            }
        }

        return ['thrown' => $thrown];
    }

    /**
     * @param list<string> $arguments the bucket, then ids
     * @return array<string, mixed>
     */
    public function appendTogether(array $arguments): array
    {
        try {
            $this->world->runtime()
                ->buffer()
                ->bucket($arguments[0])
                ->addMany(array_map(Event::of(...), array_slice($arguments, 1)));
        } catch (UnableToAppend $e) {
            return ['thrown' => $e->failure->value];
        }

        return ['thrown' => null];
    }

    /**
     * The same where no file of this process may grow beyond its slot and the counters.
     *
     * @param list<string> $arguments the bucket, then ids
     * @return array<string, mixed>
     */
    public function appendCramped(array $arguments): array
    {
        pcntl_signal(SIGXFSZ, SIG_IGN);
        $slot = $this->world->layout($arguments[0])->active.'/u'.posix_geteuid().'-0000.log';
        clearstatcache();

        if (! posix_setrlimit(POSIX_RLIMIT_FSIZE, (int) filesize($slot), POSIX_RLIMIT_INFINITY)) {
            throw new RuntimeException('RLIMIT_FSIZE cannot be set.');
        }

        $result = $this->append($arguments);
        posix_setrlimit(POSIX_RLIMIT_FSIZE, POSIX_RLIMIT_INFINITY, POSIX_RLIMIT_INFINITY);

        return $result;
    }

    /** @return array<string, mixed> */
    public function count(int $times, FaultPoint $faultPoint): array
    {
        for ($n = 0; $n < $times; $n++) {
            $this->countOne($faultPoint);
        }

        return ['counted' => $times];
    }

    /** Notes each count in "<name>.ack" when it is made. */
    public function countUntilKilled(string $name): never
    {
        $acknowledged = fopen("{$this->world->directory}/{$name}.ack", 'a');

        while ($acknowledged !== false) {
            $this->countOne(null);
            fwrite($acknowledged, '.');
        }

        throw new RuntimeException('There is no place for acknowledgements.');
    }

    /** @return array<string, mixed> */
    public function holdCounters(FaultPoint $faultPoint): array
    {
        $file = fopen($this->world->layout()->countersFile, 'r+e');

        if ($file === false || ! flock($file, LOCK_EX)) {
            throw new RuntimeException('The counters cannot be locked.');
        }

        $faultPoint->reached('counters.held');

        return [];
    }

    private function countOne(?FaultPoint $faultPoint): void
    {
        $clock = new SystemClock;
        (new CountersFile($this->world->layout(), $clock, $faultPoint))->update(
            static fn (RefusalCounts $counts): RefusalCounts
                => $counts->with(AppendFailure::DiskFull, RefusalOutcome::Dropped, 1, $clock->micros()),
            new Permissions,
        );
    }
}
