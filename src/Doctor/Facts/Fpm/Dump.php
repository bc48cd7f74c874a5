<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Fpm;

/**
 * What `php-fpm -tt` writes to stderr: FPM's log format around its effective configuration.
 *
 * @internal
 */
final readonly class Dump
{
    // zlog.c cuts a line here and ends it with three dots, whatever log_limit says: the file is not read yet.
    private const LONGEST_LINE = 1_023;

    // With log_level = debug each line also names the process and the place in FPM's source.
    private const LINE = '/\A\[[^\]]+\] NOTICE: (?:pid \d+, \w+\(\), line \d+: )?(.*)\z/s';

    private const END = '/\Aconfiguration file (.*) test is successful\z/';

    /**
     * @param string $command what printed it
     *
     * @throws UnreadableConfig
     */
    public static function parse(string $text, string $command): FpmConfig
    {
        $sections = [];
        $misreads = [];
        $current = null;
        $isWhole = false;

        foreach (explode("\n", $text) as $index => $line) {
            if (preg_match(self::LINE, rtrim($line, "\r"), $m) !== 1) {
                $trimmed = trim($line);
                $isWarning = $trimmed === '' || preg_match('/\A\[[^\]]+\] (?:WARNING|DEBUG|ERROR|ALERT): /', $trimmed) === 1;
                $misreads = $isWarning ? $misreads : [...$misreads, new Misread($command, $index + 1, $trimmed, 'no line of a configuration')];
            } elseif (preg_match('/\A\t(\S[^=]*?) = ?(.*)\z/s', $m[1], $setting) === 1 && $current !== null) {
                $cut = strlen($line) >= self::LONGEST_LINE && str_ends_with($line, '...');
                $twice = $sections[$current]->contradicts($setting[1], $setting[2]);
                $misreads = $cut ? [...$misreads, new Misread($command, $index + 1, $setting[1], 'a value longer than php-fpm prints')] : $misreads;
                $misreads = $twice ? [...$misreads, new Misread($command, $index + 1, $setting[1], 'it has two values')] : $misreads;
                $sections[$current] = $cut ? $sections[$current] : $sections[$current]->with(new Setting($setting[1], $setting[2], $command));
            } elseif (preg_match('/\A\[(.+)\]\z/', $m[1], $section) === 1) {
                // The first section is the global one, always.
                $current = $sections === [] ? '' : $section[1];
                $sections[$current] = new Pool($section[1], []);
            } elseif (preg_match(self::END, $m[1]) === 1) {
                $isWhole = true;
            } elseif (trim($m[1]) !== '' && $sections !== []) {
                // Before the first section FPM remarks on what it made of the files: pm.start_servers is not set, it's been set to 2.
                $misreads[] = new Misread($command, $index + 1, $m[1], 'no line of a configuration');
            }
        }

        $global = $sections[''] ?? throw UnreadableConfig::nothingPrinted($command, $text);
        unset($sections['']);

        return $isWhole ? new FpmConfig($global, $sections, $misreads, true) : throw UnreadableConfig::cut($command, $text);
    }
}
