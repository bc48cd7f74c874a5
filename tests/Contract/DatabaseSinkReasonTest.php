<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Sink\Database\Dialect\DriverMessage;
use Headroom\Sink\InvalidRecords;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\DatabaseTestCase;
use Headroom\Tests\Contract\Support\FreshDatabase;
use Headroom\Tests\Contract\Support\Refusal;
use Headroom\Tests\Contract\Support\TestDatabase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * The reason in a dead letter has the names that the server gives and no value of the row, for any values.
 */
final class DatabaseSinkReasonTest extends DatabaseTestCase
{
    private const TYPES = ["create type mood as enum ('a', 'b')", 'create domain positive as int check (value > 0)'];

    #[Test, Group('day-2')]
    #[DataProvider('refusals')]
    public function a_refused_row_names_its_column_and_shows_no_value(TestDatabase $kind, string $refusal): void
    {
        $database = $this->database($kind);
        $refused = Refusal::all()[$refusal];
        [$declared, $name] = $refused->on[$kind->value];
        $this->createTable($database, $declared);
        $says = $refusal === 'a trigger' ? DriverMessage::RAISED : $name;
        $seed = random_int(1, 1_000_000);

        foreach (Refusal::hostileTexts($seed) as $hostile) {
            $row = $refused->row($hostile);

            if ($refused->isTwice) {
                $database->connection()->table('refusals')->delete();
                $database->connection()->table('refusals')->insert($row);
            }

            $this->log = ContractLog::of('reasons');
            $failure = $this->failureOf($this->registered($database->sink('refusals')), $this->log->delivery([$row]));
            $message = $failure->getMessage();
            $about = "Seed {$seed}: {$message}";

            self::assertInstanceOf(InvalidRecords::class, $failure, $about);
            self::assertDoesNotMatchRegularExpression('/secret|decoy|4711/i', $message, $about);
            self::assertStringContainsString($says ?? 'refusals', $message, $about);
        }
    }

    /** @return iterable<string, array{TestDatabase, string}> */
    public static function refusals(): iterable
    {
        foreach (Refusal::all() as $name => $refusal) {
            foreach (TestDatabase::cases() as $kind) {
                if (isset($refusal->on[$kind->value])) {
                    yield "{$kind->name}, {$name}" => [$kind, $name];
                }
            }
        }
    }

    /** @param list<string> $errors SQLSTATEs that the trigger's author chose */
    #[Test]
    #[DataProvider('triggers')]
    public function the_text_of_a_trigger_is_not_shown_under_any_state(TestDatabase $kind, array $errors): void
    {
        foreach ($errors as $state) {
            $database = $this->database($kind);
            $this->createTable($database, 'varchar(255)', $state);
            $this->log = ContractLog::of('reasons');
            $delivery = $this->log->delivery([['subject' => 'secret', 'other' => 'decoy']]);
            $failure = $this->failureOf($this->registered($database->sink('refusals')), $delivery);

            self::assertInstanceOf(InvalidRecords::class, $failure, $state);
            self::assertStringContainsString(DriverMessage::RAISED, $failure->getMessage());
            self::assertStringNotContainsString('secret', $failure->getMessage());
            $this->tearDown();
        }
    }

    /** @return array<string, array{TestDatabase, list<string>}> */
    public static function triggers(): array
    {
        return [
            'MariaDB' => [TestDatabase::MariaDb, ['45000', '22023', '23000', 'HY000']],
            'MySQL' => [TestDatabase::MySql, ['45000', '22023', '23000', 'HY000']],
            'PostgreSQL' => [TestDatabase::PostgreSql, ['P0001', '22023', '23505', '45000']],
        ];
    }

    private function createTable(FreshDatabase $database, string $declared, ?string $raises = null): void
    {
        $row = match ($database->kind) {
            TestDatabase::Sqlite => '"row" integer primary key',
            TestDatabase::MariaDb, TestDatabase::MySql => str_contains($declared, 'partition')
                ? '`row` int not null auto_increment'
                : '`row` int not null auto_increment primary key',
            TestDatabase::PostgreSql => '"row" serial primary key',
        };
        $isStrict = $database->kind === TestDatabase::Sqlite && in_array($declared, ['int', 'real'], true);
        $strict = $isStrict ? ' strict' : '';
        $other = $isStrict ? 'text' : 'varchar(999)';

        if (str_contains($declared, 'refused int')) {
            $raises = $database->kind === TestDatabase::PostgreSql ? 'P0001' : '45000';
        }

        $statements = [
            'create table parents (id bigint primary key)',
            ...($database->kind === TestDatabase::PostgreSql ? self::TYPES : []),
            "create table refusals ({$row}, other {$other}, subject {$declared}){$strict}",
            ...($raises === null ? [] : $this->trigger($database->kind, $raises)),
        ];

        foreach ($statements as $statement) {
            $database->connection()->getPdo()->exec($statement);
        }
    }

    /** @return list<string> */
    private function trigger(TestDatabase $kind, string $state): array
    {
        return match ($kind) {
            // SQLite 3.47 takes an expression here, too.
            TestDatabase::Sqlite => [<<<'SQL'
                create trigger refusing before insert on refusals begin
                    select raise(abort, 'no secret decoy');
                end
                SQL],
            TestDatabase::MariaDb, TestDatabase::MySql => [<<<SQL
                create trigger refusing before insert on refusals for each row begin
                    declare said varchar(128) default concat('no ', left(new.subject, 50));
                    signal sqlstate '{$state}' set message_text = said;
                end
                SQL],
            TestDatabase::PostgreSql => [
                <<<SQL
                create function refuse() returns trigger language plpgsql as \$\$ begin
                    raise exception 'no %', new.subject using errcode = '{$state}';
                end \$\$
                SQL,
                'create trigger refusing before insert on refusals for each row execute function refuse()',
            ],
        };
    }
}
