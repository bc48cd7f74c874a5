<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Cron\CronExpression;
use DateTimeImmutable;
use DateTimeZone;
use LogicException;
use RuntimeException;

/**
 * When a bucket with a schedule of its own is flushed, in the time zone of the application. The package
 * dragonmantank/cron-expression reads the expression, as it does for Laravel's scheduler,
 * so both mean the same minutes.
 */
final readonly class Cron
{
    /**
     * The package and the versions that composer.json allows.
     *
     * @internal
     */
    public const PACKAGE = 'dragonmantank/cron-expression:^3.4';

    /**
     * Laravel's frequency methods that need no arguments.
     *
     * @internal
     */
    public const NAMES = [
        'everyMinute' => '* * * * *',
        'everyTwoMinutes' => '*/2 * * * *',
        'everyThreeMinutes' => '*/3 * * * *',
        'everyFourMinutes' => '*/4 * * * *',
        'everyFiveMinutes' => '*/5 * * * *',
        'everyTenMinutes' => '*/10 * * * *',
        'everyFifteenMinutes' => '*/15 * * * *',
        'everyThirtyMinutes' => '*/30 * * * *',
        'hourly' => '0 * * * *',
        'everyTwoHours' => '0 */2 * * *',
        'everyThreeHours' => '0 */3 * * *',
        'everyFourHours' => '0 */4 * * *',
        'everySixHours' => '0 */6 * * *',
        'daily' => '0 0 * * *',
        'twiceDaily' => '0 1,13 * * *',
        'weekly' => '0 0 * * 0',
        'monthly' => '0 0 1 * *',
    ];

    /** @param string $expression of five fields */
    private function __construct(public string $expression, private CronExpression $times) {}

    /**
     * A Laravel application has the package through laravel/framework. Others need it only for such a schedule.
     *
     * @internal
     */
    public static function isAvailable(): bool
    {
        return class_exists(CronExpression::class);
    }

    /**
     * @internal
     *
     * @return ?self null when it is not an expression, or when no day matches it
     */
    public static function tryFrom(string $text): ?self
    {
        try {
            $times = new CronExpression(self::NAMES[$text] ?? $text);
        } catch (LogicException) {
            return null;
        }

        // The package accepts "* * 30 2 *", for which it finds no day. The search goes back from 1 March 2000, past a
        // 29th of February, so one year has each day that exists.
        return self::last($times, new DateTimeImmutable('2000-03-01 00:00:00 UTC'), 'UTC') === null
            ? null
            : new self(implode(' ', $times->getParts()), $times);
    }

    /**
     * Returns the last minute that matches, up to and including this one, as seconds since the Unix epoch; 0 when the
     * package finds none.
     *
     * @internal
     */
    public function lastAt(int $seconds, ?DateTimeZone $zone = null): int
    {
        $zone ??= new DateTimeZone(date_default_timezone_get());

        $now = (new DateTimeImmutable("@{$seconds}"))->setTimezone($zone);

        return self::last($this->times, $now, $zone->getName()) ?? 0;
    }

    /** @return ?int null where the package gives up after 1000 steps: a fifth Monday in February may be 28 years ago */
    private static function last(CronExpression $times, DateTimeImmutable $now, string $zone): ?int
    {
        // A range that runs backwards, such as "22-2", makes the package warn of an undefined array key.
        set_error_handler(static fn (int $level, string $message): bool
            => $level === E_WARNING ? throw new LogicException($message) : true);

        try {
            return $times->getPreviousRunDate($now, 0, true, $zone)->getTimestamp();
        } catch (LogicException|RuntimeException) {
            return null;
        } finally {
            restore_error_handler();
        }
    }
}
