<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Closure;
use Headroom\Core\Examinable;
use Headroom\Core\HeadroomException;
use Headroom\Core\Problem;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\FileStore\Fsync\DurabilityCheck;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Worker\FlushSchedule;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Headroom\Support\UnableToCall;

/**
 * Every precondition of the promise, and the command that mends what is not met.
 *
 * @internal
 */
final readonly class Health implements Examinable
{
    /** The schedule flushes every minute, or at a bucket's own times. */
    private const TOO_LONG_SECONDS = 300;

    /** A site with autoflush may have a quiet day. */
    private const QUIET_SECONDS = 86_400;

    /** A migration takes hours at most; a pause of more than a day is one that was forgotten. */
    private const FORGOTTEN_SECONDS = 86_400;

    public function __construct(private SpoolServices $spool) {}

    public function examine(): array
    {
        return PhpRestrictions::within($this->examined(...));
    }

    /** @return list<Problem> */
    private function examined(): array
    {
        try {
            $config = $this->spool->config();
        } catch (HeadroomException $e) {
            return [new Problem('configuration', $e->getMessage(), 'Correct it (in Laravel, then run `config:clear`).')];
        }

        $store = [];

        try {
            $store = PhpRestrictions::within($this->store(...));
            $problems = [...(new HostCheck($config))->problems(), ...$store];
        } catch (UnableToCall $e) {
            $problems = [...(new HostCheck($config))->problems(), HostCheck::missing($e->function)];
        }

        usort($problems, static fn (Problem $a, Problem $b): int => $b->fatal <=> $a->fatal);
        $isUsable = array_filter($store, static fn (Problem $problem): bool => $problem->fatal) === [];

        foreach ($isUsable ? $this->parts($config) : [] as $part) {
            $problems = [...$problems, ...$this->part($part)];
        }

        return self::each($problems);
    }

    /** @return iterable<Closure(): list<Problem>> */
    private function parts(SpoolConfig $config): iterable
    {
        foreach ($config->names() as $name) {
            yield fn (): array => $this->bucket($name);
            yield fn (): array => $this->spool->stores()->isOnRedis($name) ? [] : $this->durability($name);
        }

        yield fn (): array => $this->redisOf($config);
        yield static fn (): array => $config->enabled() ? [] : [new Problem('configuration', "The buffer is turned off ('enabled'): events go straight to their sinks, and each request waits for that.", 'Set SPOOL_ENABLED=true (in Laravel, then run `config:clear`). What waits is flushed all the same.', false)];
        yield fn (): array => $this->undeclared($config);
        yield $this->leftInRedis(...);
        yield $this->paused(...);
        yield $this->state(...);
        yield $this->waiting(...);
        yield (new RefusalCheck($this->spool))->problems(...);
        yield (new ReleaseCheck($config->path))->problems(...);
        yield (new NodeCheck($this->spool))->problems(...);
    }

    /**
     * What the host has switched off ends one part and not the others.
     *
     * @param Closure(): list<Problem> $examine
     * @return list<Problem>
     */
    private function part(Closure $examine): array
    {
        try {
            return PhpRestrictions::within($examine);
        } catch (UnableToCall $e) {
            return [HostCheck::missing($e->function)];
        }
    }

    /**
     * @param list<Problem> $problems
     * @return list<Problem> each once
     */
    private static function each(array $problems): array
    {
        $found = [];

        foreach ($problems as $problem) {
            $found["{$problem->subject}\0{$problem->message}"] ??= $problem;
        }

        return array_values($found);
    }

    /**
     * Only the directories and files.
     *
     * @return list<Problem>
     */
    public function store(): array
    {
        return (new StoreCheck($this->spool->store(), $this->spool->config()->allowNetworkFilesystem()))->problems();
    }

    /** @return list<Problem> */
    private function bucket(string $name): array
    {
        try {
            $bucket = $this->spool->config()->bucket($name);
            $sink = $bucket === null ? null : $this->spool->sinks()->of($bucket);
        } catch (HeadroomException $e) {
            return [new Problem("bucket {$name}", $e->getMessage(), 'Correct it under spool.buckets (in Laravel, then run `config:clear`).')];
        }

        return $sink instanceof Examinable ? array_map(
            static fn (Problem $p): Problem => new Problem("bucket {$name}, {$p->subject}", $p->message, $p->mend, $p->fatal),
            $sink->examine(),
        ) : [];
    }

    /** @return list<Problem> */
    private function durability(string $name): array
    {
        try {
            $bucket = $this->spool->config()->bucket($name);
        } catch (HeadroomException) {
            return []; // bucket() tells
        }

        return $bucket === null ? [] : (new DurabilityCheck($this->spool->store(), $name, $bucket->durability, $this->spool->clock()))->problems();
    }

    /** @return list<Problem> what is true of several buckets once: mostly they are on one server */
    private function redisOf(SpoolConfig $config): array
    {
        $problems = $names = [];

        foreach ($config->names() as $name) {
            foreach ($this->spool->stores()->isOnRedis($name) ? $this->redis($name) : [] as $problem) {
                $key = "{$problem->message}\0{$problem->mend}";
                $problems[$key] ??= $problem;
                $names[$key][] = $name;
            }
        }

        return array_map(
            static fn (Problem $p, array $of): Problem => count($of) === 1 ? $p : new Problem('buckets '.implode(', ', $of).', redis', $p->message, $p->mend, $p->fatal),
            array_values($problems),
            array_values($names),
        );
    }

    /** @return list<Problem> */
    private function redis(string $name): array
    {
        try {
            $store = $this->spool->stores()->redis($name);
        } catch (HeadroomException $e) {
            return [new Problem("bucket {$name}", $e->getMessage(), "Correct spool.redis, or that connection in config/database.php (in Laravel, then run `config:clear`). Or set the bucket's store to file.")];
        }

        return $store === null ? [] : (new RedisCheck($store->client, $this->spool->config(), $this->spool->clock()))->problems($name);
    }

    /** @return list<Problem> */
    private function paused(): array
    {
        $stores = $this->spool->stores();
        $problems = [];

        foreach ($stores->paused()->names as $name) {
            $pause = $stores->pauses($name)->of($name);

            if ($pause !== null) {
                $age = intdiv($this->spool->clock()->micros(), 1_000_000) - $pause->since->getTimestamp();
                $problems[] = new Problem("bucket {$name}", "It is {$pause->words()}: it takes events, and delivers none.", "Run `spool:resume {$name}` when they may go.", $age > self::FORGOTTEN_SECONDS);
            }
        }

        return $problems;
    }

    /** @return list<Problem> of buckets whose progress nobody knows; a flush can not note there that it failed */
    private function state(): array
    {
        $store = $this->spool->store();
        $problems = [];

        foreach ($this->spool->isUntouched() ? [] : $store->buckets() as $name) {
            try {
                (new StateFile($store->layout($name)->stateFile, $store->permissions))->read();
            } catch (HeadroomException $e) {
                $problems[] = new Problem("bucket {$name}", "Nothing of it can be delivered: {$e->getMessage()}", "Run `spool:verify {$name}`, and see \"When the state file is lost\" in the package's docs/dead-letters.md.");
            }
        }

        return $problems;
    }

    /** @return list<Problem> what a sink that is down, a missing crontab line or a missing worker look like */
    private function waiting(): array
    {
        $problems = [];
        $timetable = new FlushSchedule($this->spool);

        foreach ($this->spool->status()->buckets as $bucket) {
            $isByCallback = $bucket->sink === BucketConfig::CALLBACK;

            if ($bucket->storage->letters > 0) {
                $problems[] = new Problem("bucket {$bucket->bucket}", TerminalText::count($bucket->storage->letters, 'dead letter').' kept: events that its sink refused.', "See why with `spool:failed {$bucket->bucket}`; once that is mended, `spool:retry --bucket={$bucket->bucket}` puts them into the log again.", false);
            }

            if ($bucket->setBack !== null) {
                $problems[] = new Problem("bucket {$bucket->bucket}", $bucket->setBack, "Run `spool:flush {$bucket->bucket}`: it delivers what Redis holds, or names the command that does, and tells what is gone.");
            }

            if ($bucket->isDiskForked) {
                $problems[] = new Problem("bucket {$bucket->bucket}", 'Redis knows another log of this machine\'s disk than the one that is here: the disk was set back, or copied and both copies are in use. What waits on it is not brought into Redis.', 'Run `spool:new-id`: it says what waits here, and names the two ways to go on.');
            }

            if ($bucket->isForked && $bucket->store === 'file') {
                $problems[] = new Problem("bucket {$bucket->bucket}", 'Its disk was set back, or copied and both copies are in use, so nothing of it is delivered.', 'Run `spool:new-id`: it says what waits here, and names the two ways to go on.');
            } elseif ($bucket->flush->trouble !== null) {
                $problems[] = new Problem("bucket {$bucket->bucket}", "Its flush fails: {$bucket->flush->trouble}", $isByCallback ? 'Mend what it says; the next call of flush() with a callback hands over the same events. They stay in the buffer until then.' : "Mend what it says, then run `spool:flush {$bucket->bucket} --now`; its events stay in the buffer until then.");
            } elseif ($bucket->sink !== null && $bucket->paused === null && $bucket->oldestSeconds !== null && ! $this->isHeldBack($bucket) && $timetable->isLate($bucket->bucket, $bucket->oldestSeconds, self::TOO_LONG_SECONDS)) {
                $problems[] = $isByCallback ? $this->notCalled($bucket->bucket, (int) $bucket->oldestSeconds) : $this->late($bucket->bucket, (int) $bucket->oldestSeconds);
            }
        }

        return $problems;
    }

    /** It goes as fast as its rate lets it. */
    private function isHeldBack(BucketStatus $bucket): bool
    {
        try {
            $rate = $this->spool->config()->bucket($bucket->bucket)?->rateLimit;
        } catch (HeadroomException) {
            return false; // bucket() tells
        }

        return $rate !== null && $bucket->flush->flushedSeconds !== null && $bucket->flush->flushedSeconds < self::TOO_LONG_SECONDS + $rate->seconds;
    }

    private function notCalled(string $bucket, int $seconds): Problem
    {
        return new Problem(
            "bucket {$bucket}",
            sprintf('Its oldest event has been waiting for %d minutes: nothing flushes it, or every flush fails.', intdiv($seconds, 60)),
            "It has no sink, so only FileSystemBuffer::flush() or RedisBuffer::flush() with a callback delivers it. See that it is called for bucket '{$bucket}' (`schedule:list`) and that cron runs `schedule:run` every minute, or declare a sink for it under spool.buckets.",
        );
    }

    private function late(string $bucket, int $seconds): Problem
    {
        $isAutoflushed = $this->spool->config()->autoflush() !== null;

        return new Problem(
            "bucket {$bucket}",
            sprintf('Its oldest event has been waiting for %d minutes: nothing flushes it, or every flush fails.', intdiv($seconds, 60))
                .($isAutoflushed ? ' With autoflush the next request that buffers does, under PHP-FPM and LiteSpeed.' : ''),
            "Run `spool:flush {$bucket}` to see what it says, and let cron run `spool:flush` every minute (in Laravel `schedule:run`), or keep `spool:work` running.",
            ! $isAutoflushed || $seconds > self::QUIET_SECONDS,
        );
    }

    /** @return list<Problem> */
    private function undeclared(SpoolConfig $config): array
    {
        // One that a callback has flushed is as good as declared, as long as it is flushed.
        $unknown = array_filter($this->spool->status()->buckets, static fn (BucketStatus $bucket): bool => $bucket->sink === null && ! in_array($bucket->bucket, $config->names(), true));

        return array_values(array_map(
            static fn (BucketStatus $bucket): Problem => new Problem("bucket {$bucket->bucket}", 'It has been written to, but is not declared, so nothing says where its events go.', "Declare '{$bucket->bucket}' under spool.buckets, or flush it with a callback (".($bucket->store === 'redis' ? 'RedisBuffer' : 'FileSystemBuffer').'::flush()); its events are kept until then.'),
            $unknown,
        ));
    }

    /** @return list<Problem> */
    private function leftInRedis(): array
    {
        try {
            $left = $this->spool->stores()->leftInRedis();
        } catch (HeadroomException) {
            return []; // Redis is not needed any more, and may be gone for good
        }

        return array_map(static fn (string $name): Problem => new Problem("bucket {$name}", 'RedisBuffer has left events of it in Redis, and its store is file, so nothing delivers them.', "Give the bucket 'store' => 'redis' until `spool:status` shows nothing pending; what waits on disk is brought there."), $left);
    }
}
