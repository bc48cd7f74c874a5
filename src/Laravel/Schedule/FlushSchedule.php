<?php

declare(strict_types=1);

namespace Headroom\Laravel\Schedule;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Cron;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\TerminalText;
use Illuminate\Console\Scheduling\Event;
use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Support\Facades\Artisan;

/**
 * Adds the flushes to Laravel's schedule.
 *
 * No withoutOverlapping(): its lock lives in a cache that all machines share, while each has a buffer of its own. The
 * flush lock is enough. No evenInMaintenanceMode() either: migrations run during maintenance, and a batch must not be
 * inserted into a table that is being altered. Events wait, as queued jobs do.
 *
 * @internal
 */
final readonly class FlushSchedule
{
    public function __construct(private Schedule $schedule) {}

    public function register(SpoolConfig $config): void
    {
        $times = self::times($config);

        // The flush of each minute is added even if all buckets have schedules of their own: it continues interrupted
        // flushes.
        if ($times === [] || array_filter($times, static fn (Cron|bool $time): bool => $time !== false) !== []) {
            $this->eachMinute(isPart: array_filter($times, static fn (Cron|bool $time): bool => $time !== true) !== []);
        }

        foreach (self::withTimes($times) as $bucket => $cron) {
            $this->add("spool:flush {$bucket}")->cron($cron->expression)->timezone(date_default_timezone_get());
        }
    }

    /** @param bool $isPart leaves out buckets with a schedule of their own */
    public function eachMinute(bool $isPart = false): void
    {
        $this->add($isPart ? 'spool:flush --scheduled' : 'spool:flush')->everyMinute();
    }

    /** The check that a scheduler runs in its own process must not end that process. */
    public function alerts(): void
    {
        $this->add(function_exists('proc_open') ? 'headroom:notify --scheduled' : 'headroom:notify')->everyMinute();
    }

    /** The text in `php artisan about`. */
    public static function summary(SpoolConfig $config): string
    {
        $own = count(self::withTimes(self::times($config)));

        return 'scheduled every minute'
            .($own === 0
                ? ''
                : ', '.TerminalText::count($own, 'bucket').' at '.($own === 1 ? 'its' : 'their').' own times');
    }

    /** Where no process can be started, as on some shared hosts, the flush runs in the scheduler's process. */
    private function add(string $command): Event
    {
        return function_exists('proc_open')
            ? $this->schedule->command($command)->runInBackground()
            : $this->schedule->call(static fn (): int => Artisan::call($command))->name($command);
    }

    /** @return array<array-key, Cron|bool> by bucket */
    private static function times(SpoolConfig $config): array
    {
        $times = [];

        foreach ($config->names() as $name) {
            try {
                $times[$name] = $config->bucket($name)->schedule ?? true;
            } catch (HeadroomException) {
                // The flush of each minute reports the invalid configuration.
                $times[$name] = true;
            }
        }

        return $times;
    }

    /**
     * @param array<array-key, Cron|bool> $times
     * @return array<array-key, Cron>
     */
    private static function withTimes(array $times): array
    {
        return array_filter($times, static fn (Cron|bool $time): bool => $time instanceof Cron);
    }
}
