<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use PDO;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/runbooks.md: a restored and an empty database, on servers. RunbooksTest has the same on SQLite.
 */
final class RestoreRunbookTest extends TestCase
{
    private const TABLES = ['api_events', 'spool_ledger'];

    private ScratchApplication $app;

    private PDO $server;

    private PDO $pdo;

    private string $name;

    protected function setUp(): void
    {
        $this->name = 'runbook_'.bin2hex(random_bytes(4));
        $this->app = ScratchApplication::onThisCheckout();
        $this->app->config(
            'spool',
            "['buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
    }

    protected function tearDown(): void
    {
        $this->app->remove();
        unset($this->pdo);

        if (isset($this->server)) {
            $this->server->exec("drop database {$this->name}");
        }
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_restored_database_gets_back_what_the_backup_lacks(TestDatabase $database): void
    {
        $this->begins($database);
        $this->delivers(2);
        $backup = $this->backup();
        $this->delivers(3);
        self::assertSame(5, $this->rows());
        [$pause, $verify, $resume, $printed] = $this->blocks('The database is restored from a backup');

        $this->runs($pause);
        $this->artisan('app:buffer', '1');
        $this->restore($backup);
        $this->runs($verify);
        self::assertSame(2, $this->rows());

        self::assertStringContainsString($printed->code, $this->runs($resume));
        self::assertSame(6, $this->rows());
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function an_empty_database_gets_what_was_never_delivered(TestDatabase $database): void
    {
        $this->begins($database);
        $this->delivers(2);
        $this->pdo->exec('drop table api_events');
        $this->pdo->exec('drop table spool_ledger');
        $this->pdo->exec('drop table migrations');
        $this->artisan('app:buffer', '1');
        self::assertSame(1, $this->app->artisan('spool:flush')->exit);

        foreach ($this->blocks('The database is replaced by an empty one') as $block) {
            $this->runs($block);
        }

        self::assertSame(1, $this->rows());
    }

    private function begins(TestDatabase $database): void
    {
        $of = $database->server();
        $driver = $database->isOfMysql() ? 'mysql' : 'pgsql';
        $dsn = "{$driver}:host={$of['host']};port={$of['port']};dbname=";
        $this->server = new PDO($dsn.$of['database'], $of['username'], $of['password']);
        $this->server->exec("create database {$this->name}");
        $this->pdo = new PDO($dsn.$this->name, $of['username'], $of['password']);
        $settings = [
            'CONNECTION' => $database->value, 'HOST' => $of['host'], 'PORT' => $of['port'], 'DATABASE' => $this->name,
            'USERNAME' => $of['username'], 'PASSWORD' => $of['password'],
        ];
        $env = (string) preg_replace('/^DB_.*\n/m', '', $this->app->read('.env'));

        foreach ($settings as $key => $value) {
            $env .= "DB_{$key}={$value}\n";
        }

        $this->app->write('.env', $env);
        $this->artisan('migrate', '--force');
    }

    private function delivers(int $events): void
    {
        $this->artisan('app:buffer', (string) $events);
        $this->artisan('spool:flush');
    }

    /** @return array<string, list<array<string, scalar|null>>> rows by table */
    private function backup(): array
    {
        $backup = [];

        foreach (self::TABLES as $table) {
            $statement = $this->pdo->query("select * from {$table}");
            self::assertNotFalse($statement);
            /** @var list<array<string, scalar|null>> $rows */
            $rows = $statement->fetchAll(PDO::FETCH_ASSOC);
            $backup[$table] = $rows;
        }

        return $backup;
    }

    /** @param array<string, list<array<string, scalar|null>>> $backup */
    private function restore(array $backup): void
    {
        foreach ($backup as $table => $rows) {
            $this->pdo->exec("delete from {$table}");

            foreach ($rows as $row) {
                $marks = implode(', ', array_fill(0, count($row), '?'));
                $names = implode(', ', array_keys($row));
                $this->pdo->prepare("insert into {$table} ({$names}) values ({$marks})")->execute(array_values($row));
            }
        }
    }

    private function rows(): int
    {
        $statement = $this->pdo->query('select count(*) from api_events');

        return $statement === false ? -1 : (int) $statement->fetchColumn();
    }

    /** @return list<CodeBlock> */
    private function blocks(string $section): array
    {
        $blocks = MarkdownPage::at('docs/runbooks.md')->under($section);
        self::assertNotSame([], $blocks, $section);

        return $blocks;
    }

    private function runs(CodeBlock $block): string
    {
        $outcome = $this->app->run(['bash', '-ec', $block->code]);
        self::assertSame(0, $outcome->exit, "{$block->place()}: {$block->code}{$outcome->all()}");

        return $outcome->all();
    }

    private function artisan(string ...$arguments): void
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, $outcome->all());
    }
}
