<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

/**
 * The advice to use the buffer of this package: the call, the bucket, the commands and the page.
 *
 * @internal
 */
final readonly class BufferAdvice
{
    /** The maximum length of a bucket's name. */
    private const MAX_NAME_LENGTH = 64;

    /** For a request that inserts rows, or writes rows that it does not read at once. */
    public static function insteadOfInserts(): string
    {
        return 'Take the write out of the request: '.self::call('page_views', "'path' => \$path, 'at' => now()")
            .' puts the event on the disk of this machine and returns, '
            .'and a flusher inserts many rows with one statement. '
            .self::declared('page_views', '', "'page_views' is an example")
            .' Recipe: docs/uses/page-views.md; settings: docs/database-sink.md.';
    }

    /**
     * @param ?string $table whose rows requests wait for, as the SQL server names it; null if unknown
     * @param string $database of the application, which its connection selects by default; '' if unknown
     */
    public static function insteadOfCounting(?string $table = null, string $database = ''): string
    {
        $own = self::own($table ?? '', $database);

        return 'Take counters out of the transaction: '.self::call($own ?? 'counters', "'id' => \$id, 'count' => 1")
            .' puts the event on the disk of this machine and returns, '
            .'and a flusher adds many events up with one statement. '
            .self::declared(
                $own ?? 'counters',
                ", 'mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['count']",
                $own === null ? 'table and columns are an example' : 'columns are an example: name your own',
            )
            .' Recipe: docs/uses/api-metering.md; what the table needs: docs/database-sink.md#aggregate.';
    }

    private static function call(string $table, string $event): string
    {
        return '`Buffer::bucket(\''.self::bucket($table)."')->add([{$event}])`";
    }

    private static function declared(string $table, string $settings, string $remark): string
    {
        return "Run `artisan spool:install`, declare the bucket in config/spool.php ({$remark}): `'"
            .self::bucket($table)."' => ['sink' => 'database', 'table' => '{$table}'{$settings}]`, "
            .'then run `artisan migrate` and `artisan spool:health`.';
    }

    /** The first of several possible names, without the default database or schema of the connection. */
    private static function own(string $table, string $database): ?string
    {
        if (preg_match('/\A(?:(\w+)\.)?(\w+)(?: or |\z)/', $table, $name) !== 1) {
            return null;
        }

        $isElsewhere = $database !== '' && ! in_array($name[1], ['', 'public', $database], true);

        return $isElsewhere ? "{$name[1]}.{$name[2]}" : $name[2];
    }

    private static function bucket(string $table): string
    {
        $name = ltrim((string) preg_replace('/\A\w+\./', '', strtolower($table)), '._-');

        return $name === '' ? 'counters' : substr($name, 0, self::MAX_NAME_LENGTH);
    }
}
