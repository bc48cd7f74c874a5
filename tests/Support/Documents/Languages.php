<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use Cron\CronExpression;
use DOMDocument;
use Headroom\Tests\Support\Markdown\CodeBlock;
use InvalidArgumentException;
use LibXMLError;
use PDO;
use PDOException;

/**
 * Holds a code block to the grammar of its language, and to the program that reads it where that is installed.
 */
final readonly class Languages
{
    public function __construct(private PhpNames $names, private OutsidePrograms $programs) {}

    /** @param list<string> $others classes that the page declares in other blocks */
    public function check(CodeBlock $block, array $others = []): Verdict
    {
        $unknown = self::unknownVariables($block->code);

        return $unknown === [] ? $this->grammar($block, $others) : Verdict::from($unknown);
    }

    /** @return list<string> */
    private static function unknownVariables(string $code): array
    {
        preg_match_all('/(?<![\w$])(?:SPOOL|HEADROOM)_[A-Z][A-Z_]*[A-Z]\b/', $code, $named);
        $faults = [];

        foreach (array_unique($named[0]) as $name) {
            if (! Environment::isRead($name)) {
                $faults[] = "Nothing reads the environment variable {$name}.";
            }
        }

        return $faults;
    }

    /** @param list<string> $others */
    private function grammar(CodeBlock $block, array $others): Verdict
    {
        return match ($block->language) {
            'php' => Verdict::from($this->names->faults($block->code, $others)),
            'shell' => $this->shell($block->code),
            'json' => self::json($block->code),
            'xml' => self::xml($block->code),
            'html' => self::html($block->code),
            'ini' => $this->ini($block->code),
            'nginx' => $this->programs->nginx($block->code),
            'yaml' => $this->programs->yaml($block->code),
            'js' => $this->programs->javascript($block->code),
            'sql' => self::sql($block->code),
            'diff' => self::lines($block->code, '/\A(?:[-+ ].*)?\z/', 'a line of a diff'),
            'cron' => self::cron($block->code),
            'csv' => self::csv($block->code),
            'dockerfile' => self::lines(
                (string) preg_replace('/\\\\\n/', ' ', $block->code),
                '/\A\s*(?:#.*|(?:ADD|ARG|CMD|COPY|ENTRYPOINT|ENV|EXPOSE|FROM|HEALTHCHECK|LABEL|RUN|SHELL|STOPSIGNAL'
                    .'|USER|VOLUME|WORKDIR)\s.+)?\z/',
                'an instruction',
            ),
            'http' => self::http($block->code),
            'text', 'apache', 'blade', 'caddyfile' => Verdict::onlyRead(),
            default => Verdict::fault($block->language === ''
                ? 'It names no language. Output is `text`, commands are `shell`.'
                : "No check knows the language '{$block->language}'."),
        };
    }

    private function shell(string $code): Verdict
    {
        return preg_match('/^\$ /m', $code) === 1
            ? Verdict::fault('A prompt ($) in a block that readers copy: commands are `shell`, a transcript is `text`.')
            : $this->programs->bash($code);
    }

    /** One document, or one on each line. An ellipsis stands for values that were left out. */
    private static function json(string $code): Verdict
    {
        $isLeft = static fn (string $text): string => (string) preg_replace(
            ['/,?\s*(?:…|\.\.\.)\s*(?=[\]}])/u', '/(?:…|\.\.\.),\s*/u'],
            '',
            $text,
        );

        if (self::isJson($isLeft($code))) {
            return Verdict::checked();
        }

        $lines = array_filter(explode("\n", trim($code)), static fn (string $line): bool => trim($line) !== '');
        $bad = array_filter($lines, static fn (string $line): bool => ! self::isJson($isLeft($line)));

        return Verdict::from($bad === [] ? [] : ['It is no JSON: '.reset($bad)]);
    }

    private static function isJson(string $text): bool
    {
        json_decode($text);

        return json_last_error() === JSON_ERROR_NONE;
    }

    private static function xml(string $code): Verdict
    {
        $before = libxml_use_internal_errors(true);
        $code = (string) preg_replace('/\A<\?xml[^>]*>/', '', $code);
        $isGood = (new DOMDocument)->loadXML("<root>{$code}</root>");
        libxml_use_internal_errors($before);

        return $isGood ? Verdict::checked() : Verdict::fault('It is no XML.');
    }

    private static function html(string $code): Verdict
    {
        $before = libxml_use_internal_errors(true);
        (new DOMDocument)->loadHTML("<!doctype html><meta charset=utf-8>{$code}");
        $faults = array_map(static fn (LibXMLError $error): string => trim($error->message), libxml_get_errors());
        libxml_clear_errors();
        libxml_use_internal_errors($before);

        return Verdict::from($faults);
    }

    private function ini(string $code): Verdict
    {
        $lines = preg_replace('/^\s+/m', '', $code);

        if (
            @parse_ini_string((string) preg_replace('/^#.*$/m', '', (string) $lines), true, INI_SCANNER_RAW)
            === false
        ) {
            return Verdict::fault('It is no file of settings (parse_ini_string).');
        }

        return preg_match('/^\[(?:Unit|Service|Timer)\]/m', $code) === 1
            ? $this->programs->systemd($code)
            : Verdict::checked();
    }

    private static function http(string $code): Verdict
    {
        [$head] = explode("\n\n", $code, 2);
        $lines = explode("\n", trim($head));
        $isStarted = preg_match('~\A(?:[A-Z]+ \S+ HTTP/[\d.]+|HTTP/[\d.]+ \d{3}.*)\z~', array_shift($lines)) === 1;

        return $isStarted
            ? self::lines(implode("\n", $lines), '/\A(?:[\w-]+: .+)?\z/u', 'a header')
            : Verdict::fault('It begins with no request line and no status line.');
    }

    private static function sql(string $code): Verdict
    {
        try {
            (new PDO('sqlite::memory:'))->prepare($code);
        } catch (PDOException $e) {
            // Other databases have words that SQLite has not.
            return str_contains($e->getMessage(), 'no such table') ? Verdict::checked() : Verdict::onlyRead();
        }

        return Verdict::checked();
    }

    private static function cron(string $code): Verdict
    {
        foreach (explode("\n", trim($code)) as $line) {
            if (trim($line) === '' || preg_match('/\A(?:#|[A-Z_]+=)/', $line) === 1) {
                continue;
            }

            try {
                new CronExpression(implode(' ', array_slice(explode(' ', trim($line)), 0, 5)));
            } catch (InvalidArgumentException $e) {
                return Verdict::fault($e->getMessage());
            }

            if (count(explode(' ', trim($line))) < 6) {
                return Verdict::fault("A line without a command: {$line}");
            }
        }

        return Verdict::checked();
    }

    private static function csv(string $code): Verdict
    {
        $widths = array_map(
            static fn (string $line): int => count(str_getcsv($line, ',', '"', '\\')),
            explode("\n", trim($code)),
        );

        return count(array_unique($widths)) === 1
            ? Verdict::checked()
            : Verdict::fault('Its lines have different numbers of fields.');
    }

    private static function lines(string $code, string $pattern, string $what): Verdict
    {
        foreach (explode("\n", $code) as $line) {
            if (preg_match($pattern, $line) !== 1) {
                return Verdict::fault("This is not {$what}: {$line}");
            }
        }

        return Verdict::checked();
    }
}
