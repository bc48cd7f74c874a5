<?php

declare(strict_types=1);

/*
 * PostgreSQL: a prepared insert of 1,000 page views against COPY, and against COPY behind the question whether this
 * table takes one. `bin/services run pgsql -- php benchmarks/write-buffer/copy.php [ROUND-TRIP-MS]`, a few seconds. See
 * docs/adr/0015-inserts-and-no-copy.md.
 */

use Headroom\Bench\Samples;
use Headroom\Benchmarks\WriteBuffer\Events;
use Headroom\Dev\DelayProxy;
use Headroom\Sink\Database\PreparedInsert;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const ROWS = 1000;
const ROUNDS = 60;

$variable = static fn (string $name): string => (string) getenv("HEADROOM_PGSQL_{$name}");
$away = (float) ($argv[1] ?? 0);
$proxy = $away > 0.0 ? DelayProxy::start($variable('HOST'), (int) $variable('PORT'), $away) : null;
$port = $proxy === null ? $variable('PORT') : $proxy->port;
$pdo = new PDO(
    "pgsql:host={$variable('HOST')};port={$port};dbname={$variable('DATABASE')}",
    $variable('USERNAME'),
    $variable('PASSWORD'),
);
$pdo->exec(
    'create temporary table copied (id bigserial primary key, seq varchar(64), ip varchar(45), time timestamp(0),'
        .' method varchar(16), path varchar(2048), status smallint, bytes bigint, referer varchar(2048),'
        .' agent varchar(1024), created_at timestamp(0)); create index on copied (seq)',
);

$names = array_keys(Events::plain(0));
$rows = array_map(Events::plain(...), range(0, ROWS - 1));
$columns = array_map(static fn (string $name): array => array_column($rows, $name), $names);
$marks = '('.implode(', ', array_fill(0, count($names), '?')).')';
$prepared = PreparedInsert::make(
    $pdo,
    'insert into copied ('.implode(', ', $names).') values '.implode(', ', array_fill(0, ROWS, $marks)),
    $names,
    ROWS,
);
$question = $pdo->prepare(
    'select relkind, relhasrules, relrowsecurity, exists (select from pg_attribute a where a.attrelid = c.oid and'
        ." a.attidentity = 'a') from pg_class c where c.oid = to_regclass(?)",
);

$sides = [
    'insert' => static function () use ($prepared, $columns): void {
        foreach ($columns as $number => $values) {
            $prepared->assign($number, $values, static fn (mixed $value): mixed => $value);
            $prepared->rowWithNul($number);
        }

        $prepared->execute();
    },
    'copy' => static function () use ($pdo, $columns, $names): void {
        $texts = array_map(
            static fn (array $values): array => array_map(
                static fn (mixed $value): string => $value === null
                    ? '\\N'
                    : strtr((string) $value, ['\\' => '\\\\', "\t" => '\\t', "\n" => '\\n', "\r" => '\\r']),
                $values,
            ),
            $columns,
        );
        $pdo->pgsqlCopyFromArray(
            'copied',
            array_map(static fn (string ...$row): string => implode("\t", $row), ...$texts),
            "\t",
            '\\\\N',
            implode(', ', $names),
        );
    },
];
$sides['question and copy'] = static function () use ($question, $sides): void {
    $question->execute(['copied']);
    $question->fetchAll();
    $sides['copy']();
};
$micros = [];

for ($round = 0; $round < ROUNDS; $round++) {
    foreach ($round % 2 === 0 ? $sides : array_reverse($sides) as $side => $write) {
        $start = hrtime(true);
        $pdo->beginTransaction();
        $write();
        $pdo->commit();
        $micros[$side][] = (hrtime(true) - $start) / 1000 / ROWS;
    }
}

foreach ($micros as $side => $values) {
    $samples = new Samples($values);
    printf("%-18s %6.2f us a row, spread %.0f %%\n", $side, $samples->median(), 100 * $samples->spread());
}

$proxy?->stop();
