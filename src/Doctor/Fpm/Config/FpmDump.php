<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;

/**
 * Parses the stderr of `php-fpm -tt`: the effective configuration in FPM's log format.
 *
 * @internal
 */
final class FpmDump
{
    // zlog.c cuts a line here and appends three dots, with any log_limit, because the configuration is not loaded yet.
    private const MAX_LINE_BYTES = 1_023;

    // With log_level = debug each line also names the process and the place in FPM's source.
    private const NOTICE = '/\A\[[^\]]+\] NOTICE: (?:pid \d+, \w+\(\), line \d+: )?(.*)\z/s';

    private const REMARK = '/\A\[[^\]]+\] (?:WARNING|DEBUG|ERROR|ALERT): /';

    private const END = '/\Aconfiguration file .* test is successful\z/';

    /** @var array<string, PoolSettings> the global section, which comes first, under '' */
    private array $sections = [];

    /** @var list<FpmParseIssue> */
    private array $misreads = [];

    private string $section = '';

    private bool $isWhole = false;

    private function __construct(private readonly string $command) {}

    /**
     * @param string $command that printed it
     *
     * @throws FactUnavailable
     */
    public static function parse(string $text, string $command): FpmConfig
    {
        $dump = new self($command);

        foreach (explode("\n", $text) as $index => $line) {
            $dump->line(rtrim($line, "\r"), $index + 1);
        }

        $global = $dump->sections[''] ?? throw UnreadableConfig::nothingPrinted($command, $text);

        return $dump->isWhole
            ? new FpmConfig($global, array_slice($dump->sections, 1, preserve_keys: true), $dump->misreads, true)
            : throw UnreadableConfig::cut($command, $text);
    }

    private function line(string $line, int $number): void
    {
        if (preg_match(self::NOTICE, $line, $m) === 1) {
            $this->notice($m[1], $number, strlen($line) >= self::MAX_LINE_BYTES && str_ends_with($line, '...'));
        } elseif (trim($line) !== '' && preg_match(self::REMARK, $line) !== 1) {
            $this->misread($number, trim($line), 'no line of a configuration');
        }
    }

    private function notice(string $text, int $number, bool $isCut): void
    {
        if (preg_match('/\A\t(\S[^=]*?) = ?(.*)\z/s', $text, $m) === 1 && $this->sections !== []) {
            $this->setting($m[1], $m[2], $number, $isCut);
        } elseif (preg_match('/\A\[(.+)\]\z/', $text, $m) === 1) {
            $this->section = $this->sections === [] ? '' : $m[1];
            $this->sections[$this->section] = new PoolSettings($m[1], []);
        } elseif (preg_match(self::END, $text) === 1) {
            $this->isWhole = true;
        } elseif (trim($text) !== '' && $this->sections !== []) {
            // Before the first section FPM logs remarks about the files: pm.start_servers is not set,
            // it's been set to 2.
            $this->misread($number, $text, 'no line of a configuration');
        }
    }

    private function setting(string $name, string $value, int $number, bool $isCut): void
    {
        $pool = $this->sections[$this->section];

        if ($isCut) {
            $this->misread($number, $name, 'a value longer than php-fpm prints');

            return;
        }

        if ($pool->contradicts($name, $value)) {
            $this->misread($number, $name, 'it has two values');
        }

        $this->sections[$this->section] = $pool->with(new PhpSetting($name, $value, $this->command));
    }

    private function misread(int $line, string $token, string $reason): void
    {
        $this->misreads[] = new FpmParseIssue($this->command, $line, $token, $reason);
    }
}
