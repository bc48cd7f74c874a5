<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\Error;

/**
 * A line of PHP-FPM's log, "[28-Nov-2020 16:38:30] WARNING: [pool www] child 24925 ..." (sapi/fpm/fpm/zlog.c), or of
 * PHP's own, "[28-Nov-2020 16:38:30 UTC] PHP Warning:  ..." (main/main.c).
 *
 * @internal
 */
final readonly class FpmLine
{
    private const LEVELS = ['DEBUG' => true, 'NOTICE' => true, 'WARNING' => true, 'ERROR' => true, 'ALERT' => true];

    /**
     * @param string $day "28-Nov-2020"
     * @param string $level "php" in PHP's own
     */
    private function __construct(public string $day, public string $clock, public string $level, public string $message) {}

    public static function parse(string $line): ?self
    {
        $end = strpos($line, '] ');

        if ($end === false || $end < 21 || $line[3] !== '-' || $line[15] !== ':') {
            return null;
        }

        [$day, $clock] = [substr($line, 1, 11), substr($line, 13, 8)];
        $colon = strpos($line, ': ', $end);
        $level = $colon === false ? '' : substr($line, $end + 2, $colon - $end - 2);

        if ($colon !== false && isset(self::LEVELS[$level])) {
            $message = substr($line, $colon + 2);

            // At log_level = debug: "pid 123, fpm_children_make(), line 421: ".
            if (str_starts_with($message, 'pid ') && preg_match('/\Apid \d+, \w+\(\), line \d+: (.*)\z/s', $message, $m) === 1) {
                $message = $m[1];
            }

            return new self($day, $clock, $level, $message);
        }

        // PHP always names the zone.
        return $line[21] === ' ' ? new self($day, $clock, 'php', substr($line, $end + 2)) : null;
    }

    public function pool(): ?string
    {
        $end = str_starts_with($this->message, '[pool ') ? strpos($this->message, ']') : false;

        return $end === false ? null : substr($this->message, 6, $end - 6);
    }

    /** Method and path of a request that was too slow. */
    public function uri(): ?string
    {
        $start = strpos($this->message, '(request: "');

        return $start === false ? null : rtrim(substr($this->message, $start + 11, strcspn($this->message, '"?', $start + 11)));
    }

    public function kind(): FpmError
    {
        if ($this->level === 'php') {
            return $this->ofPhp();
        }

        $message = $this->message;

        return match (true) {
            str_contains($message, ' exited with code 0 '), str_ends_with($message, ' started') => FpmError::Lifecycle,
            str_contains($message, 'executing too slow') => FpmError::Slow,
            str_contains($message, 'execution timed out'), str_contains($message, ', terminating') => FpmError::Terminated,
            str_contains($message, 'max_children setting') => FpmError::MaxChildren,
            str_contains($message, 'seems busy') => FpmError::Busy,
            str_contains($message, 'exited on signal') => $this->ofSignal(),
            str_contains($message, ' exited with code ') => FpmError::ExitCode,
            str_contains($message, 'about to trace'), str_contains($message, 'finished trace'), str_contains($message, 'stopped for tracing') => FpmError::Traced,
            str_contains($message, 'failed to ptrace'), str_contains($message, 'failed to open /proc/') => FpmError::TraceFailed,
            str_contains($message, 'unable to open slowlog') => FpmError::SlowlogUnwritable,
            str_contains($message, 'process.max') => FpmError::ProcessMax,
            str_contains($message, 'said into std') => FpmError::Output,
            str_contains($message, 'failed processes threshold') => FpmError::EmergencyRestart,
            str_contains($message, 'fork() failed') => FpmError::ForkFailed,
            str_contains($message, 'unable to bind'), str_contains($message, 'already listen') => FpmError::Listen,
            in_array($this->level, ['NOTICE', 'DEBUG'], true) => FpmError::Lifecycle,
            preg_match('~\A\[[^\]]*:\d+\]|configuration|directive~', $message) === 1 => FpmError::Configuration,
            default => FpmError::Other,
        };
    }

    private function ofSignal(): FpmError
    {
        preg_match('/exited on signal (\d+)/', $this->message, $m);

        return match ($m[1] ?? '') {
            '4', '6', '7', '8', '11', '31' => FpmError::Crashed,
            '9' => FpmError::Killed,
            default => FpmError::Ended,
        };
    }

    private function ofPhp(): FpmError
    {
        return match (true) {
            str_contains($this->message, 'Allowed memory size of') => FpmError::PhpMemory,
            str_contains($this->message, 'Maximum execution time of') => FpmError::PhpTime,
            preg_match('/\APHP (?:Fatal|Parse|Core|Compile|Recoverable fatal) error|\bUncaught\b/', $this->message) === 1 => FpmError::PhpFatal,
            default => FpmError::PhpMessage,
        };
    }
}
