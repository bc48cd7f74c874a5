<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

/**
 * A table that can refuse a row in every way that a server knows, and rows that it refuses. Some of them a database
 * takes all the same: SQLite knows no lengths.
 */
final readonly class PoisonTable
{
    private const NAMES = [
        '*', 'path as p', 'meta->utm', 'meta->>utm', 'a.b', "a\0b", ':x', '?', 'a?b', ':id', 'a`b', 'a"b', "a'b",
        'a\\', '"', '`', '\\', '', '0',
        'ID', "a\nb", '--', 'id) values (1) --', '/*', '%s', '{x}', '$1', "\u{1F600}", 'nocolumn', 'events.id', 'gen',
        'select', ' ', 'id ',
    ];

    private const COMMON = 'id varchar(64) not null, checked int check (checked > 0)';

    private function __construct(private string $driver, private string $name) {}

    public static function make(World $world): self
    {
        $connection = $world->database();
        $table = new self($connection->getDriverName(), $connection->getTablePrefix().'events');
        $connection->getSchemaBuilder()->drop('events');

        foreach ([...$table->definition(), ...$table->triggers()] as $statement) {
            $connection->getPdo()->exec(str_replace('{t}', $table->name, $statement));
        }

        return $table;
    }

    /**
     * @return array<string, non-empty-array<string, mixed>> by what is wrong with it; each is refused at once,
     *     and alone
     */
    public function rows(int $seed): array
    {
        $rows = [];

        foreach ([...self::NAMES, str_repeat('k', 300), ...self::strangeNames($seed)] as $name) {
            $rows['the name '.json_encode($name, JSON_INVALID_UTF8_SUBSTITUTE)] = ['body' => 'x', $name => 'v'];
        }

        foreach ($this->values() as $what => $row) {
            $rows[$what] = $row + ['body' => 'x'];
        }

        $rows['no value for a column that needs one'] = ['checked' => 1];
        $rows['66,000 names'] = ['body' => 'x']
            + array_fill_keys(array_map(static fn (int $n): string => "c{$n}", range(1, 66_000)), 1);

        return $rows;
    }

    /**
     * @return array<string, non-empty-array<string, mixed>> whose failures look as if they were over soon,
     *     and never are
     */
    public function momentary(): array
    {
        return match ($this->driver) {
            'sqlite' => [],
            'pgsql' => self::raised(['40001', '53100', '55P03', '57014']),
            default => self::raised(['40001', '08S01', '53000']),
        };
    }

    /** @return array<string, non-empty-array<string, mixed>> */
    private function values(): array
    {
        $long = bin2hex(random_bytes(5000));
        $states = ['45000', '22023', '23000', '25006', '42S02', '28000', 'HY000', '0A000', 'XX000', '26000'];

        return match ($this->driver) {
            'sqlite' => [
                'a check' => ['checked' => -1],
                'one that is there' => ['uniq' => 'taken'],
                'a trigger that raises' => ['note' => 'raise'],
                'a trigger that rolls back' => ['note' => 'rollback'],
                'a trigger that fails' => ['note' => 'fail'],
            ],
            'pgsql' => [
                'a check' => ['checked' => -1],
                'too long' => ['path' => str_repeat('/', 2000)],
                'out of range' => ['num' => 99_999_999],
                'another type' => ['num' => 'many'],
                'no JSON' => ['js' => '{'],
                'a NUL in JSON' => ['js' => '{"a":"\u0000"}'],
                'no date' => ['dt' => 'someday'],
                'no such word' => ['en' => 'c'],
                'no UUID' => ['uid' => 'x'],
                'no partition' => ['day' => 99],
                'one that is there' => ['uniq' => 'taken'],
                'one that is there, looked at on the commit' => ['late' => 'taken'],
                'too long for an index' => ['k' => $long],
                'too large for a page' => ['plain' => $long],
                'what row-level security forbids' => ['note' => 'forbidden'],
                'a NUL' => ['path' => "a\0b"],
                ...self::raised($states),
            ],
            default => [
                'a check' => ['checked' => -1],
                'too long' => ['path' => str_repeat('/', 2000)],
                'out of range' => ['num' => 99_999_999],
                'another type' => ['num' => 'many'],
                'no JSON' => ['js' => '{'],
                'no date' => ['dt' => 'someday'],
                'no such word' => ['en' => 'c'],
                'an emoji in latin1' => ['latin' => "\u{1F600}"],
                'no partition' => ['day' => 99],
                'one that is there' => ['uniq' => 'taken'],
                'too large for a page' => ['note' => 'wide'] + array_fill_keys(self::wide(), str_repeat('w', 790)),
                ...self::raised($states),
            ],
        };
    }

    /**
     * @param list<string> $states
     * @return array<string, non-empty-array<string, mixed>>
     */
    private static function raised(array $states): array
    {
        return array_combine(
            array_map(static fn (string $state): string => "a trigger with {$state}", $states),
            array_map(self::raising(...), $states),
        );
    }

    /** @return non-empty-array<string, mixed> */
    private static function raising(string $state): array
    {
        return ['body' => 'x', 'note' => "state {$state}"];
    }

    /** @return list<string> */
    private static function strangeNames(int $seed): array
    {
        mt_srand($seed);
        $signs = [
            '*', '.', '->', '>', ' as ', '"', '`', "'", '\\', '?', ':', ':a', ' ', '(', ')', ',', '--', '/*', '*/',
            "\n", '$1', '%', '@', ';', 'id', 'a', 'ü', '#', '[', ']', '{', '}', '=', '0',
        ];
        $names = [];

        for ($name = 0; $name < 40; $name++) {
            $names[] = implode(
                '',
                array_map(static fn (): string => $signs[mt_rand(0, count($signs) - 1)], range(1, mt_rand(1, 6))),
            );
        }

        return array_values(array_diff(array_unique($names), ['id', 'a']));
    }

    /**
     * @return list<string> columns that fit one by one into a page of 16 KiB, where each keeps 768 bytes,
     *     and not together
     */
    private static function wide(): array
    {
        return array_map(static fn (int $n): string => "w{$n}", range(1, 11));
    }

    /** @return list<string> */
    private function definition(): array
    {
        $common = self::COMMON;
        $wide = implode(
            ', ',
            array_map(static fn (string $name): string => "{$name} varchar(800) character set latin1", self::wide()),
        );

        return match ($this->driver) {
            'sqlite' => [
                "create table {t} (arrival integer primary key autoincrement, {$common}, body text not null,"
                    .' path varchar(20), num int, gen int generated always as (num + 1) virtual, uniq text'
                    .' unique, note text)',
            ],
            'pgsql' => [
                "create table {t} (arrival bigserial, {$common}, body text not null, path varchar(20), num smallint,"
                    .' gen int generated always as (num + 1) stored, js jsonb, dt timestamp, en varchar(9) check (en in'
                    ." ('a', 'b')), uid uuid, k text, plain text, uniq varchar(40), late varchar(40), day int not null"
                    .' default 1, note text, unique (uniq, day), unique (late, day) deferrable initially deferred)'
                    .' partition by list (day)',
                'create table {t}_1 partition of {t} for values in (1)',
                'create index {t}_k on {t} (k)',
                'alter table {t}_1 alter column plain set storage plain',
                'create table {t}_guarded (n int)',
                'alter table {t}_guarded enable row level security',
                'create policy guard on {t}_guarded for insert with check (n < 5)',
                'grant insert on {t}_guarded to pg_monitor',
            ],
            default => [
                'set session innodb_strict_mode = 0',
                "create table {t} (arrival bigint unsigned not null auto_increment, {$common}, body mediumtext not"
                    .' null, path varchar(20), num smallint, gen int generated always as (num + 1) virtual, js json,'
                    ." dt datetime, en enum('a', 'b'), latin varchar(50) character set latin1, uniq varchar(40),"
                    ." day int not null default 1, note varchar(99), {$wide}, primary key (arrival, day), unique (uniq,"
                    .' day)) row_format = compact default character set utf8mb4 partition by list (day) (partition p'
                    .' values in (1))',
            ],
        };
    }

    /** @return list<string> */
    private function triggers(): array
    {
        $taken = "insert into {t} (id, body, uniq) values ('taken', 'x', 'taken')";

        return match ($this->driver) {
            'sqlite' => [
                $taken,
                ...array_map(
                    static fn (string $what): string => "create trigger on_{$what} before insert on {t} when new.note ="
                        ." '{$what}' begin select raise({$what}, 'not today'); end",
                    ['rollback', 'fail'],
                ),
                "create trigger on_raise before insert on {t} when new.note = 'raise' begin select raise(abort,"
                    ." 'not today'); end",
            ],
            'pgsql' => [
                "insert into {t} (id, body, uniq, late) values ('taken', 'x', 'taken', 'taken')",
                "create function {t}_refuse() returns trigger language plpgsql as \$\$ begin if new.note like 'state %'"
                    ." then raise exception 'not today' using errcode = substr(new.note, 7); end if;"
                    .' return new; end $$',
                'create trigger refusing before insert on {t}_1 for each row execute function {t}_refuse()',
                // The tests' own role is a superuser, which no policy binds.
                'create function {t}_guard() returns trigger language plpgsql security definer as $$ begin if'
                    ." new.note = 'forbidden' then insert into {t}_guarded values (9); end if; return new; end \$\$",
                'alter function {t}_guard() owner to pg_monitor',
                'create trigger guarding before insert on {t}_1 for each row execute function {t}_guard()',
            ],
            default => [
                $taken,
                'create trigger {t}_refusing before insert on {t} for each row begin '.implode(' ', array_map(
                    static fn (string $state): string => "if new.note = 'state {$state}' then signal sqlstate"
                        ." '{$state}' set message_text = 'not today'; end if;",
                    [
                        '45000', '22023', '23000', '25006', '42S02', '28000', 'HY000', '0A000', 'XX000', '26000',
                        '40001', '08S01', '53000',
                    ],
                )).' end',
            ],
        };
    }
}
