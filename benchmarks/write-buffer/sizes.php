<?php

declare(strict_types=1);

/*
 * Batches of as many page views as a timer happens to find, 330 more or less and never as many as the last one: an
 * insert prepared for each, against kept ones of powers of two. Half a minute:
 *   bin/services run mariadb pgsql -- php benchmarks/write-buffer/sizes.php [ROUND-TRIP-MS]
 */

use Headroom\Bench\Samples;
use Headroom\Benchmarks\WriteBuffer\Events;
use Headroom\Dev\DelayProxy;
use Headroom\Sink\Database\PreparedInsert;
use Headroom\Sink\Database\StatementCache;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const ROWS = 330;
const ROUNDS = 60;
const WARM_UP = 10;
const TABLES = [
    'MARIADB' => 'drop table if exists sized; create table sized (id bigint unsigned auto_increment primary key,'
        .' seq varchar(64), ip varchar(45), time datetime, method varchar(16), path varchar(2048), status smallint'
        .' unsigned, bytes bigint unsigned, referer varchar(2048), agent varchar(1024), created_at datetime,'
        .' index (seq)) engine = InnoDB',
    'PGSQL' => 'drop table if exists sized; create table sized (id bigserial primary key, seq varchar(64),'
        .' ip varchar(45), time timestamp(0), method varchar(16), path varchar(2048), status smallint, bytes bigint,'
        .' referer varchar(2048), agent varchar(1024), created_at timestamp(0)); create index on sized (seq)',
];

$away = (float) ($argv[1] ?? 0);
$names = array_keys(Events::plain(0));
$sql = static fn (int $rows): string => 'insert into sized ('.implode(', ', $names).') values '
    .implode(', ', array_fill(0, $rows, '('.implode(', ', array_fill(0, count($names), '?')).')'));
$write = static function (PreparedInsert $statement, array $columns, int $from, int $rows): void {
    foreach ($columns as $number => $values) {
        $statement->assign($number, array_slice($values, $from, $rows), static fn (mixed $value): mixed => $value);
    }

    $statement->execute();
};
$result = [];

foreach (TABLES as $server => $table) {
    $variable = static fn (string $name): string => (string) getenv("HEADROOM_{$server}_{$name}");

    if ($variable('HOST') === '') {
        fwrite(
            STDERR,
            'MariaDB and PostgreSQL are needed. Run: bin/services run mariadb pgsql -- php'
                ." benchmarks/write-buffer/sizes.php\n",
        );
        exit(2);
    }

    $driver = $server === 'PGSQL' ? 'pgsql' : 'mysql';
    $proxy = $away > 0.0 ? DelayProxy::start($variable('HOST'), (int) $variable('PORT'), $away) : null;
    $pdo = new PDO(
        "{$driver}:host={$variable('HOST')};port=".($proxy === null ? $variable('PORT') : $proxy->port)
            .";dbname={$variable('DATABASE')}",
        $variable('USERNAME'),
        $variable('PASSWORD'),
        [PDO::ATTR_EMULATE_PREPARES => false],
    );
    $pdo->exec($table);
    $pid = $driver === 'pgsql'
        ? (int) $pdo->query('select pg_backend_pid()')->fetchColumn()
        : (int) file_get_contents((string) $pdo->query('select @@pid_file')->fetchColumn());
    // Nanoseconds of each thread are more precise than ticks of the process.
    $cpu = static fn (string $process): float => array_sum(array_map(
        static fn (string $file): float => (int) file_get_contents($file) / 1000,
        glob("/proc/{$process}/task/*/schedstat") ?: [],
    ));

    $kept = new StatementCache(inPowers: true);
    $sides = [
        'prepared for each' => static fn (array $columns, int $rows)
            => $write(PreparedInsert::make($pdo, $sql($rows), $names, $rows), $columns, 0, $rows),
        'powers of two' => static function (array $columns, int $rows) use ($kept, $pdo, $sql, $names, $write): void {
            $from = 0;

            foreach ($kept->portions($names, $rows, 6500) as $portion) {
                $write(
                    $kept->statement($pdo, $names, $portion, static fn (): string => $sql($portion)),
                    $columns,
                    $from,
                    $portion,
                );
                $from += $portion;
            }
        },
    ];
    $micros = [];

    for ($round = -WARM_UP; $round < ROUNDS; $round++) {
        // No size follows itself.
        $rows = ROWS + (2 * (abs($round) % 2) - 1) * random_int(1, intdiv(ROWS, 10));
        $events = array_map(Events::plain(...), range(0, $rows - 1));
        $columns = array_map(static fn (string $name): array => array_column($events, $name), $names);

        foreach ($round % 2 === 0 ? $sides : array_reverse($sides) as $side => $insert) {
            $before = [hrtime(true) / 1000, $cpu('self'), $cpu((string) $pid)];
            $pdo->beginTransaction();
            $insert($columns, $rows);
            $pdo->commit();
            $used = [hrtime(true) / 1000 - $before[0], $cpu('self') - $before[1], $cpu((string) $pid) - $before[2]];

            foreach ($round < 0 ? [] : ['elapsed', 'php', 'server'] as $number => $what) {
                $micros[$side][$what][] = $used[$number] / $rows;
            }
        }
    }

    foreach ($micros as $side => $figures) {
        $figures = array_map(static fn (array $values): Samples => new Samples($values), $figures);
        printf(
            "%-8s %-18s %6.2f us a row (spread %.0f %%), CPU %5.2f us of PHP and %5.2f us of the server\n",
            $driver,
            $side,
            $figures['elapsed']->median(),
            100 * $figures['elapsed']->spread(),
            $figures['php']->median(),
            $figures['server']->median(),
        );
        $result[$driver][$side] = array_map(
            static fn (Samples $samples): float => round($samples->median(), 2),
            $figures,
        );
    }

    if ($driver === 'mysql') {
        $memory = static fn (): int => (int) $pdo->query("show session status like 'Memory_used'")->fetchColumn(1);
        $before = $memory();
        $powers = [];

        for ($rows = 512, $parameters = 0; $rows > 0; $parameters += $rows * count($names), $rows >>= 1) {
            $powers[] = PreparedInsert::make($pdo, $sql($rows), $names, $rows);
        }

        printf(
            '%-8s statements of 512, 256 and so on to 1 row have %d parameters and take %.1f MiB of the'
                ." server's memory\n",
            $driver,
            $parameters,
            ($memory() - $before) / 1_048_576,
        );
    }

    $proxy?->stop();
}

echo 'RESULT ', json_encode($result, JSON_THROW_ON_ERROR), "\n";
