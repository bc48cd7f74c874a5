<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * A line of PHP-FPM's log, "[28-Nov-2020 16:38:30] WARNING: [pool www] child 24925 ..." (sapi/fpm/fpm/zlog.c), or of
 * PHP's own, "[28-Nov-2020 16:38:30 UTC] PHP Warning:  ..." (main/main.c).
 *
 * @internal
 */
final readonly class FpmLine
{
    /**
     * At log_level = debug there are microseconds, and a place in FPM's own source. PHP always names a zone, FPM never.
     */
    private const LINE = '~\A\[(\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d)'
        .'(?:(?:\.\d{1,6})?\] (DEBUG|NOTICE|WARNING|ERROR|ALERT): (?:pid \d+, \w+\(\), line \d+:'
        .' )?(?:\[pool ([^\]]++)\] )?| [^\]]++\] )(.*+)\z~s';

    /** Without its time: what a child writes itself, and what goes to a syslog, with its level in brackets there. */
    private const BARE = '~\A(?:(DEBUG|NOTICE|WARNING|ERROR|ALERT): |\[(DEBUG|NOTICE|WARNING|ERROR|ALERT)\] )'
        .'(?:pid \d+, \w+\(\), line \d+: )?(?:\[pool ([^\]]++)\] )?(.*+)\z~s';

    private const SAID = '~\Achild (\d++) said into std(?:err|out): "(.*?)"?(?:, pipe is closed)?\z~s';

    /**
     * @param string $time "28-Nov-2020 16:38:30"
     * @param string $level "php" in PHP's own
     */
    private function __construct(
        public string $time,
        public string $level,
        public ?string $pool,
        public string $message,
    ) {}

    public static function parse(string $line): ?self
    {
        return preg_match(self::LINE, $line, $m, PREG_UNMATCHED_AS_NULL) === 1
            ? new self($m[1], $m[2] ?? 'php', $m[3], $m[4])
            : null;
    }

    public static function bare(string $line): ?self
    {
        return preg_match(self::BARE, $line, $m, PREG_UNMATCHED_AS_NULL) === 1
            ? new self('', $m[1] ?? (string) $m[2], $m[3], $m[4])
            : null;
    }

    /** @return ?array{int, string} pid and words of a child whose output is in this line */
    public function said(): ?array
    {
        return preg_match(self::SAID, $this->message, $m) === 1 ? [(int) $m[1], $m[2]] : null;
    }

    /** Method and path of a request that was too slow. */
    public function uri(): ?string
    {
        $start = strpos($this->message, '(request: "');

        return $start === false
            ? null
            : rtrim(substr($this->message, $start + 11, strcspn($this->message, '"?', $start + 11)));
    }

    public function kind(): FpmError
    {
        if ($this->level === 'php') {
            return $this->ofPhp();
        }

        $message = $this->message;

        // A child that was asked to finish (SIGQUIT) ends with a notice too.
        if ($this->level === 'NOTICE' || $this->level === 'DEBUG') {
            return str_contains($message, ' trac') ? FpmError::Traced : FpmError::Lifecycle;
        }

        return match (true) {
            str_contains($message, 'executing too slow') => FpmError::Slow,
            str_contains($message, 'execution timed out'),
            str_contains($message, ', terminating') => FpmError::Terminated,
            str_contains($message, 'max_children setting') => FpmError::MaxChildren,
            str_contains($message, 'seems busy') => FpmError::Busy,
            str_contains($message, 'exited on signal') => $this->ofSignal(),
            str_contains($message, ' exited with code ') => FpmError::ExitCode,
            str_contains($message, 'failed to ptrace'),
            str_contains($message, 'failed to open /proc/') => FpmError::TraceFailed,
            str_contains($message, 'unable to open slowlog') => FpmError::SlowlogUnwritable,
            str_contains($message, 'process.max') => FpmError::ProcessMax,
            str_contains($message, 'said into std') => FpmError::Output,
            str_contains($message, 'failed processes threshold') => FpmError::EmergencyRestart,
            str_contains($message, 'fork() failed') => FpmError::ForkFailed,
            str_contains($message, 'unable to bind'), str_contains($message, 'already listen') => FpmError::Listen,
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
        return PhpMessage::parse($this->message)->kind ?? FpmError::PhpMessage;
    }
}
