<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Logs\ErrorLog\FpmError;
use Headroom\Doctor\Logs\ErrorLog\FpmLine;
use Headroom\Host\Log\LogTail;
use Headroom\Host\Log\UnableToReadLog;

/**
 * The end of the log of a PHP-FPM since its start or reload. Earlier lines belong to another configuration.
 *
 * @internal
 */
final readonly class FpmLog
{
    private const DEFAULT = 'notice';

    /** php-fpm -tt prints this for a level that is not set. */
    private const NOT_SET = 'unknown value';

    /** Levels at which FPM writes warnings. */
    private const WITH_WARNINGS = ['debug', 'notice', 'warning'];

    /** Levels at which FPM also logs its start. */
    private const WITH_STARTS = ['debug', 'notice'];

    /**
     * @param list<FpmLine> $lines
     * @param bool $tellsStart false if lines may be older than the present configuration
     */
    private function __construct(public string $path, private array $lines, public bool $tellsStart) {}

    /**
     * @param string $dump the command that shows its log settings
     *
     * @throws FactUnavailable
     */
    public static function of(RunningMaster $master, PoolSettings $global, string $dump): self
    {
        $path = $global->text('error_log') ?? '';
        $level = strtolower($global->text('log_level') ?? self::DEFAULT);
        $level = $level === self::NOT_SET ? self::DEFAULT : $level;
        $command = 'sudo tail -n 10000 '.escapeshellarg($path);

        if (! str_starts_with($path, '/')) {
            throw FactUnavailable::because(
                $path === ''
                    ? 'The path of the log of PHP-FPM is unknown.'
                    : "PHP-FPM writes its log to {$path}, which is not an absolute path.",
                $dump,
            );
        }

        if (! in_array($level, self::WITH_WARNINGS, true)) {
            throw FactUnavailable::because("PHP-FPM writes no warnings to its log: log_level is {$level}.", $dump);
        }

        if (! $master->hasHere($path)) {
            throw FactUnavailable::because(
                "PHP-FPM's master {$master->pid} writes to {$path} of its own file system, as in a container.",
                "sudo nsenter -t {$master->pid} -m tail -n 10000 ".escapeshellarg($path),
            );
        }

        try {
            return new self(
                $path,
                self::sinceStart(LogTail::of($path)->lines, $master->pid),
                in_array($level, self::WITH_STARTS, true),
            );
        } catch (UnableToReadLog $e) {
            throw FactUnavailable::because($e->getMessage(), $command);
        }
    }

    /** @return list<FpmLine> */
    public function about(FpmError $kind, string $pool): array
    {
        return array_values(array_filter(
            $this->lines,
            static fn (FpmLine $line): bool => $line->pool === $pool && $line->kind() === $kind,
        ));
    }

    /**
     * @param list<string> $texts
     * @return list<FpmLine>
     */
    private static function sinceStart(array $texts, int $pid): array
    {
        $lines = [];

        foreach ($texts as $text) {
            $line = FpmLine::parse($text);

            if ($line?->message === "fpm is running, pid {$pid}") {
                $lines = [];
            } elseif ($line !== null) {
                $lines[] = $line;
            }
        }

        return $lines;
    }
}
