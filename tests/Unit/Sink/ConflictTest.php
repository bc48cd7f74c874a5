<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink;

use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;
use Headroom\Sink\Database\Conflict;
use Headroom\Sink\Database\ConflictClause;
use Illuminate\Database\MySqlConnection;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ConflictTest extends TestCase
{
    /** @param array<string, mixed> $options */
    #[Test]
    #[DataProvider('wrong')]
    public function a_wrong_setting_is_named_with_what_is_allowed(array $options, string $key, string $says): void
    {
        try {
            Conflict::fromOptions(new Options(['table' => 't', ...$options], 'spool.buckets.b'));
            self::fail('It was taken.');
        } catch (InvalidConfig $e) {
            self::assertSame("spool.buckets.b.{$key}", $e->key);
            self::assertStringContainsString($says, $e->getMessage());
        }
    }

    /** @return iterable<string, array{array<string, mixed>, string, string}> */
    public static function wrong(): iterable
    {
        yield 'no such mode' => [['mode' => 'merge'], 'mode', 'one of insert, upsert, aggregate'];
        yield 'upsert without a key' => [['mode' => 'upsert'], 'unique', 'is missing'];
        yield 'upsert with an empty key' => [['mode' => 'upsert', 'unique' => []], 'unique', 'is missing'];
        yield 'aggregate without a key' => [['mode' => 'aggregate', 'sum' => ['n']], 'unique', 'is missing'];
        yield 'a key that is no list' => [['mode' => 'upsert', 'unique' => 'id'], 'unique', "such as ['id']"];
        yield 'a key with names' => [['mode' => 'upsert', 'unique' => ['id' => true]], 'unique', "such as ['id']"];
        yield 'a name that is none' => [['mode' => 'upsert', 'unique' => ['id', '']], 'unique', 'list of different names'];
        yield 'a name twice' => [['mode' => 'upsert', 'unique' => ['id', 'id']], 'unique', 'list of different names'];
        yield 'the key updated' => [['mode' => 'upsert', 'unique' => ['id'], 'update' => ['a', 'id']], 'update', "'id'"];
        yield 'the key compared' => [['mode' => 'upsert', 'unique' => ['id'], 'newer' => 'id'], 'newer', "without the columns of 'unique'"];
        yield 'nothing to add' => [['mode' => 'aggregate', 'unique' => ['id']], 'sum', 'is missing'];
        yield 'nothing to add either' => [['mode' => 'aggregate', 'unique' => ['id'], 'sum' => []], 'sum', 'is missing'];
        yield 'the key added up' => [['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['id']], 'sum', "without the columns of 'unique'"];
        yield 'a sum that is a maximum' => [['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n'], 'max' => ['n']], 'max', "without the columns of 'sum'"];
        yield 'a minimum that is a maximum' => [['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n'], 'max' => ['m'], 'min' => ['m']], 'min', "without the columns of 'max'"];
        yield 'a key of insert' => [['unique' => ['id']], 'unique', 'not a known setting'];
        yield 'newer in aggregate' => [['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n'], 'newer' => 'at'], 'newer', 'not a known setting'];
        yield 'sum in upsert' => [['mode' => 'upsert', 'unique' => ['id'], 'sum' => ['n']], 'sum', 'not a known setting'];
    }

    #[Test]
    public function the_compared_column_is_always_updated(): void
    {
        self::assertSame(['name', 'at'], $this->conflict(['mode' => 'upsert', 'unique' => ['id'], 'update' => ['name'], 'newer' => 'at'])->update);
        self::assertNull($this->conflict(['mode' => 'upsert', 'unique' => ['id'], 'newer' => 'at'])->update);
    }

    #[Test]
    public function mysql_is_told_in_the_words_of_its_version(): void
    {
        $aggregate = $this->conflict(['mode' => 'aggregate', 'unique' => ['id'], 'sum' => ['n']]);
        $new = ' as incoming on duplicate key update `n` = coalesce(`app_t`.`n`, 0) + incoming.`n`';
        $old = ' on duplicate key update `n` = coalesce(`app_t`.`n`, 0) + values(`n`)';

        foreach (['8.0.19' => $new, '9.1.0' => $new, '8.0.18' => $old, '5.7.44-log' => $old, '10.11.6-MariaDB-0+deb12u1' => $old, '5.5.5-10.11.6-MariaDB' => $old] as $version => $sql) {
            self::assertSame($sql, $this->clause($version, $aggregate)->sql(['id', 'n']), $version);
        }
    }

    #[Test]
    public function mysql_assigns_the_compared_column_last(): void
    {
        $newer = 'case when `app_t`.`at` is null or incoming.`at` >= `app_t`.`at` then incoming.`%1$s` else `app_t`.`%1$s` end';
        $upsert = $this->conflict(['mode' => 'upsert', 'unique' => ['id'], 'newer' => 'at']);

        self::assertSame(sprintf(' as incoming on duplicate key update `name` = %s, `at` = %s', sprintf($newer, 'name'), sprintf($newer, 'at')), $this->clause('8.4.0', $upsert)->sql(['at', 'id', 'name']));
    }

    /** @param array<string, mixed> $options */
    private function conflict(array $options): Conflict
    {
        $conflict = Conflict::fromOptions(new Options(['table' => 't', ...$options], 'b'));
        self::assertNotNull($conflict);

        return $conflict;
    }

    private function clause(string $version, Conflict $conflict): ConflictClause
    {
        $pdo = self::createStub(PDO::class);
        $pdo->method('getAttribute')->willReturnMap([[PDO::ATTR_DRIVER_NAME, 'mysql'], [PDO::ATTR_SERVER_VERSION, $version]]);

        return ConflictClause::on(new MySqlConnection($pdo, 'db', 'app_', ['driver' => 'mysql']), 't', $conflict);
    }
}
