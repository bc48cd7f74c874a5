<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Examinable;
use Headroom\Core\HeadroomException;
use Headroom\Core\Printable;
use Headroom\Core\Problem;
use Headroom\Spool\File\DurabilityExamination;
use Headroom\Spool\File\ReleaseExamination;
use Headroom\Spool\File\StateFile;
use Headroom\Spool\File\StoreExamination;
use Headroom\Spool\Redis\RedisExamination;
use Headroom\Spool\Refusal\RefusalExamination;

/**
 * Every precondition of the promise, and the command that mends what is not met.
 *
 * @internal
 */
final readonly class Health implements Examinable
{
    /** The schedule flushes every minute. */
    private const TOO_LONG_SECONDS = 300;

    /** A migration takes hours at most; a pause of more than a day is one that was forgotten. */
    private const FORGOTTEN_SECONDS = 86_400;

    public function __construct(private Runtime $spool) {}

    public function examine(): array
    {
        try {
            $config = $this->spool->config();
        } catch (HeadroomException $e) {
            return [new Problem('config/spool.php', $e->getMessage(), 'Correct it, and run `php artisan config:clear`.')];
        }

        $problems = $this->store();

        if ($problems !== [] && $problems[0]->fatal) {
            return $problems;
        }

        foreach ($config->names() as $name) {
            $problems = [...$problems, ...$this->bucket($name), ...($this->spool->config()->isOnRedis($name) ? $this->redis($name) : $this->durability($name))];
        }

        return [...$problems, ...$this->undeclared($config), ...$this->paused(), ...$this->state(), ...$this->waiting(), ...(new RefusalExamination($this->spool))->problems(), ...(new ReleaseExamination($config->path))->problems()];
    }

    /**
     * Only the directories and files.
     *
     * @return list<Problem>
     */
    public function store(): array
    {
        return (new StoreExamination($this->spool->store(), $this->spool->config()->allowNetworkFilesystem()))->problems();
    }

    /** @return list<Problem> */
    private function bucket(string $name): array
    {
        try {
            $bucket = $this->spool->config()->bucket($name);
            $sink = $bucket === null ? null : $this->spool->sinks()->of($bucket);
        } catch (HeadroomException $e) {
            return [new Problem("bucket {$name}", $e->getMessage(), 'Correct it in config/spool.php, and run `php artisan config:clear`.')];
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

        return $bucket === null ? [] : (new DurabilityExamination($this->spool->store(), $name, $bucket->durability, $this->spool->clock()))->problems();
    }

    /** @return list<Problem> */
    private function redis(string $name): array
    {
        try {
            $store = $this->spool->stores()->redis($name);
        } catch (HeadroomException $e) {
            return [new Problem("bucket {$name}", $e->getMessage(), "Correct spool.redis in config/spool.php, or that connection in config/database.php, and run `php artisan config:clear`. Or set the bucket's store to file.")];
        }

        return $store === null ? [] : (new RedisExamination($store->client, $this->spool->config(), $this->spool->clock()))->problems($name);
    }

    /** @return list<Problem> */
    private function paused(): array
    {
        $stores = $this->spool->stores();
        $problems = [];

        foreach ($stores->paused() as $name) {
            $pause = $stores->pauseOf($name);

            if ($pause !== null) {
                $age = intdiv($this->spool->clock()->micros(), 1_000_000) - $pause->since->getTimestamp();
                $problems[] = new Problem("bucket {$name}", "It is {$pause->words()}: it takes events, and delivers none.", "Run `php artisan spool:resume {$name}` when they may go.", $age > self::FORGOTTEN_SECONDS);
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
                $problems[] = new Problem("bucket {$name}", "Nothing of it can be delivered: {$e->getMessage()}", "Run `php artisan spool:verify {$name}`, and see \"When the state file is lost\" in the package's docs/dead-letters.md.");
            }
        }

        return $problems;
    }

    /** @return list<Problem> what a sink that is down, a missing crontab line or a missing worker look like */
    private function waiting(): array
    {
        $problems = [];

        foreach ($this->spool->status()->buckets as $bucket) {
            if ($bucket->letters > 0) {
                $problems[] = new Problem("bucket {$bucket->bucket}", Printable::count($bucket->letters, 'dead letter').' kept: events that its sink refused.', "See why with `php artisan spool:dead {$bucket->bucket}`; once that is mended, `php artisan spool:dead {$bucket->bucket} retry --all` puts them into the log again.", false);
            }

            if ($bucket->trouble !== null) {
                $problems[] = new Problem("bucket {$bucket->bucket}", "Its flush fails: {$bucket->trouble}", "Mend what it says, then run `php artisan spool:flush {$bucket->bucket} --now`; its events stay in the buffer until then.");
            } elseif ($bucket->sink !== null && $bucket->paused === null && $bucket->oldestSeconds > self::TOO_LONG_SECONDS) {
                $problems[] = new Problem("bucket {$bucket->bucket}", sprintf('Its oldest event has been waiting for %d minutes: nothing flushes it, or every flush fails.', intdiv((int) $bucket->oldestSeconds, 60)), "Run `php artisan spool:flush {$bucket->bucket}` to see what it says, and let cron run `php artisan schedule:run` every minute, or keep `php artisan spool:work` running.");
            }
        }

        return $problems;
    }

    /** @return list<Problem> */
    private function undeclared(SpoolConfig $config): array
    {
        $written = $this->spool->stores()->buckets();

        return array_values(array_map(
            static fn (string $name): Problem => new Problem("bucket {$name}", 'It has been written to, but is not declared, so nothing says where its events go.', "Declare '{$name}' under 'buckets' in config/spool.php; its events are kept until then."),
            array_diff($written, $config->names()),
        ));
    }
}
