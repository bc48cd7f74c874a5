<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Database\Upsert;

use Headroom\Sink\Database\Upsert\ConflictClause;
use Headroom\Sink\Database\Upsert\ConflictResolution;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Sentence;
use Illuminate\Database\MySqlConnection;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ConflictResolutionTest extends TestCase
{
    /**
     * @param array<string, mixed> $options
     * @param list<string> $allowed
     */
    #[Test]
    #[DataProvider('wrong')]
    public function a_wrong_setting_is_named_with_what_is_allowed(
        array $options,
        InvalidConfig $expected,
        array $allowed = [],
    ): void {
        try {
            ConflictResolution::fromOptions(new ConfigReader(['table' => 't', ...$options], 'spool.buckets.b'));
            self::fail('It was taken.');
        } catch (InvalidConfig $e) {
            Sentence::naming($allowed, $expected, $e);
        }
    }

    /** @return iterable<string, array{0: array<string, mixed>, 1: InvalidConfig, 2?: list<string>}> */
    public static function wrong(): iterable
    {
        $missing = static fn (string $key): InvalidConfig
            => InvalidConfig::missing("spool.buckets.b.{$key}", Sentence::ANY);
        $wrong = static fn (string $key, mixed $seen): InvalidConfig
            => InvalidConfig::notAllowed("spool.buckets.b.{$key}", $seen, Sentence::ANY);
        $known = [
            'insert' => [],
            'upsert' => ['unique', 'update', 'newer'],
            'aggregate' => ['unique', 'sum', 'max', 'min'],
        ];
        $unknown = static fn (string $key, string $mode): InvalidConfig
            => InvalidConfig::unknownKey("spool.buckets.b.{$key}", ['table', 'connection', 'mode', ...$known[$mode]]);

        yield 'no such mode' => [['mode' => 'merge'], $wrong('mode', 'merge'), ['insert', 'upsert', 'aggregate']];
        yield 'upsert without a key' => [['mode' => 'upsert'], $missing('unique')];
        yield 'upsert with an empty key' => [['mode' => 'upsert', 'unique' => []], $missing('unique')];
        yield 'aggregate without a key' => [['mode' => 'aggregate', 'sum' => ['n']], $missing('unique')];
        yield 'a key that is no list' => [['mode' => 'upsert', 'unique' => 'id'], $wrong('unique', 'id'), ["['id']"]];
        yield 'a key with names' => [
            ['mode' => 'upsert', 'unique' => ['id' => true]],
            $wrong('unique', []),
            ["['id']"],
        ];
        yield 'a name that is none' => [['mode' => 'upsert', 'unique' => ['id', '']], $wrong('unique', '')];
        yield 'a name twice' => [['mode' => 'upsert', 'unique' => ['id', 'id']], $wrong('unique', 'id, id')];
        yield 'the key updated' => [
            ['mode' => 'upsert', 'unique' => ['id'], 'update' => ['a', 'id']],
            $wrong('update', 'id'),
            ["'unique'"],
        ];
        yield 'the key compared' => [
            ['mode' => 'upsert', 'unique' => ['id'], 'newer' => 'id'],
            $wrong('newer', 'id'),
            ["'unique'"],
        ];
        yield 'nothing to add' => [['mode' => 'aggregate', 'unique' => ['id']], $missing('sum')];
        yield 'nothing to add either' => [['mode' => 'aggregate', 'unique' => ['id'], 'sum' => []], $missing('sum')];
        yield 'the key added up' => [
            ['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['id']],
            $wrong('sum', 'id'),
            ["'unique'"],
        ];
        yield 'a sum that is a maximum' => [
            ['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n'], 'max' => ['n']],
            $wrong('max', 'n'),
            ["'sum'"],
        ];
        yield 'a minimum that is a maximum' => [
            ['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n'], 'max' => ['m'], 'min' => ['m']],
            $wrong('min', 'm'),
            ["'max'"],
        ];
        yield 'a key of insert' => [['unique' => ['id']], $unknown('unique', 'insert')];
        yield 'newer in aggregate' => [
            ['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n'], 'newer' => 'at'],
            $unknown('newer', 'aggregate'),
        ];
        yield 'sum in upsert' => [['mode' => 'upsert', 'unique' => ['id'], 'sum' => ['n']], $unknown('sum', 'upsert')];
    }

    #[Test]
    public function the_compared_column_is_always_updated(): void
    {
        self::assertSame(
            ['name', 'at'],
            $this->conflict(['mode' => 'upsert', 'unique' => ['id'], 'update' => ['name'], 'newer' => 'at'])->update,
        );
        self::assertNull($this->conflict(['mode' => 'upsert', 'unique' => ['id'], 'newer' => 'at'])->update);
    }

    #[Test]
    public function mysql_is_told_in_the_words_of_its_version(): void
    {
        $aggregate = $this->conflict(['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n']]);
        $new = ' as incoming on duplicate key update `n` = coalesce(`app_t`.`n`, 0) + incoming.`n`';
        $old = ' on duplicate key update `n` = coalesce(`app_t`.`n`, 0) + values(`n`)';

        foreach ([
            '8.0.19' => $new,
            '9.1.0' => $new,
            '8.0.18' => $old,
            '5.7.44-log' => $old,
            '10.11.6-MariaDB-0+deb12u1' => $old,
            '5.5.5-10.11.6-MariaDB' => $old,
        ] as $version => $sql) {
            self::assertSame($sql, $this->clause($version, $aggregate)->sql(['id', 'n']), $version);
        }
    }

    #[Test]
    public function mysql_assigns_the_compared_column_last(): void
    {
        $newer = 'case when `app_t`.`at` is null or incoming.`at` >= `app_t`.`at` then incoming.`%1$s` else'
            .' `app_t`.`%1$s` end';
        $upsert = $this->conflict(['mode' => 'upsert', 'unique' => ['id'], 'newer' => 'at']);

        self::assertSame(
            sprintf(
                ' as incoming on duplicate key update `name` = %s, `at` = %s',
                sprintf($newer, 'name'),
                sprintf($newer, 'at'),
            ),
            $this->clause('8.4.0', $upsert)->sql(['at', 'id', 'name']),
        );
    }

    /** @param array<string, mixed> $options */
    private function conflict(array $options): ConflictResolution
    {
        $conflict = ConflictResolution::fromOptions(new ConfigReader(['table' => 't', ...$options], 'b'));
        self::assertNotNull($conflict);

        return $conflict;
    }

    private function clause(string $version, ConflictResolution $conflict): ConflictClause
    {
        $pdo = self::createStub(PDO::class);
        $pdo->method('getAttribute')
            ->willReturnMap([[PDO::ATTR_DRIVER_NAME, 'mysql'], [PDO::ATTR_SERVER_VERSION, $version]]);

        return ConflictClause::on(new MySqlConnection($pdo, 'db', 'app_', ['driver' => 'mysql']), 't', $conflict);
    }
}
