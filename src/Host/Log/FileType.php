<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

use Headroom\Host\Log\Envelope\Envelope;

/**
 * The type of a file that a user named as a log, detected by its first bytes and lines.
 *
 * @internal
 */
enum FileType: string
{
    case ErrorLog = 'error_log';
    case SlowLog = 'slow_log';
    case AccessLog = 'access_log';
    case Monolog = 'monolog';
    case Apache = 'apache_error_log';
    case MysqlSlowLog = 'mysql_slow_log';
    case JournalExport = 'journal_export';
    case JsonLines = 'json_lines';
    case Json = 'json';
    case Syslog = 'syslog';
    case Html = 'html';
    case Text = 'text';
    case Utf16 = 'utf_16';
    case Xz = 'xz';
    case Zstandard = 'zstd';
    case Bzip2 = 'bzip2';
    case Archive = 'archive';
    case JournalFile = 'journal_file';
    case Binary = 'binary';

    private const MAGIC = [
        "\xFF\xFE" => self::Utf16, "\xFE\xFF" => self::Utf16,
        "\xFD7zXZ\0" => self::Xz, "\x28\xB5\x2F\xFD" => self::Zstandard, 'BZh' => self::Bzip2,
        "PK\x03\x04" => self::Archive, "7z\xBC\xAF" => self::Archive, 'LPKSHHRH' => self::JournalFile,
    ];

    private const BYTES = [
        self::Utf16, self::Xz, self::Zstandard, self::Bzip2, self::Archive, self::JournalFile, self::Binary,
    ];

    /** The shape of most lines; on a tie, the first shape. */
    private const LINES = [
        '~\A(?:\[0x[0-9a-f]+\] .+:\d+\z|script_filename = '
            .'|\[\d\d-[A-Z][a-z]{2}-\d{4} [^\]]+\]\s+\[pool .+\] pid \d+\z)~' => self::SlowLog,
        '~\A(?:\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[[a-z]+\] \d+#|\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d'
            .'|(?:NOTICE|WARNING|ERROR|ALERT): |PHP [A-Z][a-z ]+: )~' => self::ErrorLog,
        '~\[?\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\]? "~' => self::AccessLog,
        '~\A\[\d{4}-\d\d-\d\d[ T][^\]]+\] [\w-]+\.[A-Z]+: ~' => self::Monolog,
        '~\A\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d~' => self::Apache,
        '~\A# (?:Time: |User@Host: |Query_time: )~' => self::MysqlSlowLog,
        '~\A(?:__REALTIME_TIMESTAMP|__CURSOR|_PID|MESSAGE)=~' => self::JournalExport,
        '~\A\s*\{.*\}\s*\z~s' => self::JsonLines,
    ];

    /** The share of the first lines that must have the shape. Entries of several lines have other lines in between. */
    private const SHARE = 0.05;

    /** @param string $head the first bytes */
    public static function of(string $head, Envelope $envelope): self
    {
        foreach (self::MAGIC as $magic => $type) {
            if (str_starts_with($head, $magic)) {
                return $type;
            }
        }

        $zeros = substr_count($head, "\0");

        if ($zeros > 0) {
            // In UTF-16 without a byte order mark, every second byte of Latin text is zero.
            return $zeros > strlen($head) / 3 && $zeros < strlen($head) * 2 / 3 ? self::Utf16 : self::Binary;
        }

        $lines = [...$envelope->texts(LogLines::lines($head))];

        $lines = array_filter($lines, static fn (string $line): bool => trim($line) !== '');

        return self::ofLines(array_values($lines), $envelope);
    }

    /** A sentence for the message about a file that should be an access log; empty if there is nothing to add. */
    public static function insteadOfAccessLog(string $file): string
    {
        try {
            $lines = LogLines::of(LogFile::open($file)->chunks());
        } catch (UnableToReadLog) {
            return '';
        }

        $type = self::of($lines->head, $lines->envelope);

        return $type === self::AccessLog || $type === self::Text ? '' : " It looks like {$type->words()}.";
    }

    public function words(): string
    {
        return match ($this) {
            self::ErrorLog => 'an error log of nginx or PHP-FPM',
            self::SlowLog => 'a slow log of PHP-FPM',
            self::AccessLog => 'an access log',
            self::Monolog => "an application's log, as Laravel and Monolog write it",
            self::Apache => 'an error log of Apache or of a development server',
            self::MysqlSlowLog => 'a slow log of MySQL or MariaDB',
            self::JournalExport => 'the journal in its export form',
            self::JsonLines => 'JSON, one object a line, without a member that holds log lines',
            self::Json => 'JSON over several lines',
            self::Syslog => 'a syslog or a journal of other programs',
            self::Html => 'HTML',
            self::Text => 'text of an unknown kind',
            self::Utf16 => 'text in UTF-16, as PowerShell writes it',
            self::Xz => 'xz data', self::Zstandard => 'zstd data', self::Bzip2 => 'bzip2 data',
            self::Archive => 'an archive',
            self::JournalFile => 'a file of the systemd journal',
            self::Binary => 'binary data',
        };
    }

    public function isText(): bool
    {
        return ! in_array($this, self::BYTES, true);
    }

    /**
     * @param string $file quoted for a shell
     * @param string $command that the user ran on the file
     */
    public function next(string $file, string $command): string
    {
        return match ($this) {
            self::ErrorLog => "Read it with: headroom logs:error {$file}",
            self::SlowLog => "Read it with: headroom logs:slow {$file}",
            self::AccessLog => "Name the file of error_log; an access log is for: headroom load --replay={$file}",
            self::Monolog => "Look at it with: grep -E '\\.(ERROR|CRITICAL|ALERT|EMERGENCY):' {$file}",
            self::Apache => 'Name the logs of nginx, PHP-FPM or PHP: error_log in their configurations.',
            self::MysqlSlowLog => "Read it with: mysqldumpslow {$file}",
            self::JournalExport => "Print it a line an entry: journalctl -o short-iso | headroom {$command} -",
            self::JsonLines => "Cut the text out: jq -r .FIELD {$file} | headroom {$command} -",
            self::Json => "Make it an object a line: jq -c . {$file} | headroom {$command} -",
            self::Syslog => "Choose the programs: journalctl -u nginx -u 'php*-fpm' -o short-iso "
                ."| headroom {$command} -",
            self::Html, self::Text, self::Binary => 'Name the file of error_log (nginx -T, php-fpm -tt) or of slowlog '
                .'(php-fpm -tt).',
            self::Utf16 => "Convert it: iconv -f UTF-16 -t UTF-8 {$file} | headroom {$command} -",
            self::Xz => "Unpack it: xzcat {$file} | headroom {$command} -",
            self::Zstandard => "Unpack it: zstdcat {$file} | headroom {$command} -",
            self::Bzip2 => "Unpack it: bzcat {$file} | headroom {$command} -",
            self::Archive => 'Unpack it first, and name the log in it.',
            self::JournalFile => "Print it: journalctl --file={$file} -o short-iso | headroom {$command} -",
        };
    }

    /** @param list<string> $lines */
    private static function ofLines(array $lines, Envelope $envelope): self
    {
        $first = strtolower(ltrim($lines[0] ?? ''));
        [$best, $most] = [null, self::SHARE * count($lines)];

        foreach (self::LINES as $pattern => $type) {
            $found = preg_grep($pattern, $lines);

            if ($found !== false && count($found) > $most) {
                [$best, $most] = [$type, count($found)];
            }
        }

        if ($best !== null) {
            return $best;
        }

        return match (true) {
            str_starts_with($first, '<!doctype') || str_starts_with($first, '<html') => self::Html,
            in_array($first, ['{', '[', '[{'], true) => self::Json,
            ! $envelope->isNone() => self::Syslog,
            default => self::Text,
        };
    }
}
