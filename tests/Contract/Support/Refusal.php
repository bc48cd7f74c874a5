<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Closure;

/**
 * A kind of row that databases refuse, in a table `refusals` of the columns `subject` and `other`.
 */
final readonly class Refusal
{
    /**
     * @param array<string, array{string, ?string}> $on by database: how `subject` is declared, what the server names
     * @param Closure(string): array<string, scalar|null> $row of a hostile text
     */
    private function __construct(public array $on, private Closure $row, public bool $isTwice = false) {}

    /** @return non-empty-array<string, scalar|null> */
    public function row(string $hostile): array
    {
        return ['other' => $hostile, ...($this->row)($hostile)];
    }

    /** @return array<string, self> */
    public static function all(): array
    {
        return [...self::types(), ...self::constraints(), ...self::expressions(), ...self::ofPostgreSql()];
    }

    /** @return array<string, self> values that the column's type does not take */
    private static function types(): array
    {
        $text = self::subject(...);
        $value = static fn (string|int $value): Closure => static fn (): array => ['subject' => $value];
        $large = $value(471_108_471_108);
        $json = static fn (string $text): array => self::subject('{"secret": '.json_encode($text).', "decoy": 4711');

        return [
            'a word for an integer' => new self(self::typed('int', 'int', 'int'), $text),
            'a word for a double' => new self(self::typed('double', 'double precision', 'real'), $text),
            'a word for a float' => new self(self::typed('float', 'real'), $text),
            'a word for a decimal' => new self(self::typed('decimal(5, 2)', 'decimal(5, 2)'), $text),
            'a word for a date' => new self(self::typed('date', 'date'), $text),
            'a word for a moment' => new self(self::typed('datetime(3)', 'timestamp(3)'), $text),
            'a word for a time' => new self(self::typed('time', 'time'), $text),
            'a word for bits' => new self(self::typed('bit(3)', 'bit(3)'), $text),
            'a day that is not' => new self(self::typed('date', 'date'), $value('47110-02-31')),
            'an integer out of range' => new self(self::typed('int', 'int'), $large),
            'a small integer out of range' => new self(self::typed('tinyint', 'smallint'), $large),
            'a decimal out of range' => new self(self::typed('decimal(5, 2)', 'decimal(5, 2)'), $value('471108.1')),
            'a double out of range' => new self(self::typed('double', 'double precision'), $value('4.71108e471')),
            'a text that is too long' => new self(self::typed('varchar(5)', 'varchar(5)'), $text),
            'no JSON' => new self(self::typed('json', 'json'), $text),
            'JSON that ends early' => new self(self::typed('json', 'jsonb'), $json),
            'bytes that are no text' => new self(
                self::typed('varchar(255)', 'varchar(255)'),
                static fn (string $hostile): array => self::subject("{$hostile}\xE9"),
            ),
            'a character that the column has not' => new self([
                'mariadb' => ['varchar(999) character set latin1', 'subject'],
                'mysql' => ['varchar(999) character set utf8mb3', null],
            ], static fn (string $hostile): array => self::subject("{$hostile}🚀")),
            'a shape' => new self(['pgsql' => ['point', null], ...self::ofMysql('geometry', null)], $text),
            'a word of a list' => new self([
                'mariadb' => ["enum('a', 'b')", 'subject'],
                'mysql' => ["set('a', 'b')", 'subject'],
                'pgsql' => ['mood', 'mood'],
            ], $text),
            'a type of its own' => new self([
                'mariadb' => ['uuid', 'subject'],
                // It takes 4, 8 or 12 bytes of any kind for numbers.
                'mysql' => ['vector(3)', null],
                'pgsql' => ['uuid', null],
            ], static fn (string $hostile): array => self::subject("{$hostile} secret decoy")),
            'an address' => new self(['mariadb' => ['inet6', 'subject'], 'pgsql' => ['inet', null]], $text),
        ];
    }

    /** @return array<string, self> */
    private static function constraints(): array
    {
        $text = self::subject(...);
        $check = 'constraint refused_check check (subject > 0)';
        $computed = 'varchar(9) generated always as (left(other, 2)) stored';
        $parent = 'refused_parent foreign key (subject) references parents (id)';
        $list = 'partition by list (subject) (partition p values in (1)';

        return [
            'null' => new self(self::everywhere('int not null', 'subject'), static fn (): array => ['subject' => null]),
            'no value' => new self(self::everywhere('int not null', 'subject'), static fn (): array => []),
            'a column that is not there' => new self(
                self::everywhere('int', 'nocolumn'),
                static fn (string $hostile): array => ['nocolumn' => $hostile],
            ),
            'a column that is computed' => new self([
                ...self::ofMysql($computed, 'subject'),
                'pgsql' => [$computed, 'subject'],
                'sqlite' => ['text generated always as (substr(other, 1, 2)) stored', 'subject'],
            ], $text),
            'a check' => new self(
                self::everywhere("int, {$check}", 'refused_check'),
                static fn (): array => ['subject' => -471_108],
            ),
            'a key that is there' => new self([
                ...self::everywhere('varchar(255), constraint refused_key unique (subject)', 'refused_key'),
                'sqlite' => ['text unique', 'refusals.subject'],
            ], static fn (string $hostile): array => self::subject(substr($hostile, 0, 200)), isTwice: true),
            'a parent that is not there' => new self([
                ...self::ofMysql("bigint, constraint {$parent}", 'subject'),
                'pgsql' => ["bigint, constraint {$parent}", 'refused_parent'],
                'sqlite' => ['int references parents (id)', 'FOREIGN KEY'],
            ], static fn (): array => ['subject' => 471_108]),
            'no partition' => new self(
                self::ofMysql("int, primary key (`row`, subject)) {$list}", null),
                static fn (): array => ['subject' => 471_108],
            ),
            'a trigger' => new self(self::everywhere('text, refused int', null), $text),
        ];
    }

    /** @return array<string, self> values that a function of the schema does not take */
    private static function expressions(): array
    {
        $text = self::subject(...);
        $stored = static fn (string $type, string $of): string => "computed {$type} generated always as ({$of}) stored";
        $product = $stored('bigint', 'subject * 1000');

        return [
            'a product that is too large' => new self(
                ['pgsql' => ["bigint, {$product}", null], ...self::ofMysql("bigint, {$product}", 'subject')],
                static fn (): array => ['subject' => 4_711_084_711_084_711_081],
            ),
            'a function that refuses' => new self([
                ...self::ofMysql('varchar(999), '.$stored('datetime', "str_to_date(subject, '%Y')"), null),
                'pgsql' => ['varchar(999) check (subject::int > 0)', null],
                'sqlite' => ['text, '.$stored('any', "json_extract(subject, '$.a')"), null],
            ], $text),
            'another function that refuses' => new self([
                'mariadb' => ['varchar(999), '.$stored('int', "json_extract(subject, '$.a')"), null],
                'mysql' => ['varchar(999), '.$stored('varbinary(16)', 'uuid_to_bin(subject)'), null],
                'pgsql' => ["varchar(999) check (to_timestamp(subject, 'YYYY') is not null)", null],
            ], $text),
            'a cast that refuses' => new self([
                ...self::ofMysql('varchar(999), '.$stored('int', 'subject + 0'), null),
                'pgsql' => ["jsonb check ((subject->'a')::int > 0)", null],
            ], $text),
            'an index over an expression' => new self(
                ['mysql' => ['varchar(999), index refused_index ((cast(subject as signed)))', 'refused_index']],
                $text,
            ),
        ];
    }

    /** @return array<string, self> */
    private static function ofPostgreSql(): array
    {
        $on = static fn (string $declared, ?string $says = null): array => ['pgsql' => [$declared, $says]];
        $text = self::subject(...);

        return [
            'a list' => new self($on('int[]'), $text),
            'a domain' => new self($on('positive', 'positive'), static fn (): array => ['subject' => -471_108]),
            'words to search for' => new self($on('tsvector'), static fn (): array => ['subject' => "'secret"]),
            'the name of a table' => new self($on('regclass'), static fn (): array => ['subject' => 'secret']),
            'a NUL' => new self(
                $on('text', 'subject'),
                static fn (string $hostile): array => self::subject("{$hostile}\0secret"),
            ),
            'a row that no page of an index holds' => new self(
                $on('text unique', 'index row'),
                static fn (string $hostile): array => self::subject($hostile.bin2hex(random_bytes(6_000))),
            ),
        ];
    }

    /** @return list<string> that look like a part of a server's message */
    public static function hostileTexts(int $seed): array
    {
        $texts = [
            'secret',
            "secret' for column 'decoy' at row 471108",
            'secret` for column `decoy` at row 1',
            "secret' for column `db`.`t`.`decoy` at row 1",
            'secret" for column "decoy"',
            "secret' for key 'decoy'",
            "secret\nDETAIL:  decoy\nCONTEXT:  PL/pgSQL function decoy() line 1 at RAISE",
            str_repeat("secret' in 'decoy\\' ", 30),
        ];
        $pieces = [
            'secret', "'", '"', '`', "\n", ' at row 1', " for column 'decoy'", ' for column `decoy`',
            "' for key 'decoy", 'in "secret"', '. "decoy"', '\\', ': 471108', '«secret»', '{', ')', "\nDETAIL:  ",
            ' at RAISE', '%s', 'é',
        ];
        mt_srand($seed);

        for ($i = 0; $i < 8; $i++) {
            $texts[] = 'secret'.implode('', array_map(
                static fn (): string => $pieces[mt_rand(0, count($pieces) - 1)],
                range(1, mt_rand(2, 9)),
            ));
        }

        return $texts;
    }

    /** @return array{subject: string} */
    private static function subject(string $value): array
    {
        return ['subject' => $value];
    }

    /** @return array<string, array{string, ?string}> */
    private static function everywhere(string $declared, ?string $name): array
    {
        return array_fill_keys(array_column(TestDatabase::cases(), 'value'), [$declared, $name]);
    }

    /** @return array<string, array{string, ?string}> */
    private static function ofMysql(string $declared, ?string $name): array
    {
        return [TestDatabase::MariaDb->value => [$declared, $name], TestDatabase::MySql->value => [$declared, $name]];
    }

    /**
     * PostgreSQL names the type and not the column; only a strict table of SQLite has types.
     *
     * @return array<string, array{string, ?string}>
     */
    private static function typed(string $ofMysql, string $pgsql, ?string $sqlite = null): array
    {
        $strict = $sqlite === null ? [] : ['sqlite' => [$sqlite, 'subject']];

        return [...self::ofMysql($ofMysql, 'subject'), 'pgsql' => [$pgsql, null], ...$strict];
    }
}
