<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Collector;

use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Console\Collector\CollectKeyCommand;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

final class CollectKeyCommandTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('keys');
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function a_key_is_shown_once(): void
    {
        [$exit, $text] = $this->call(['action' => 'create', 'name' => 'shop']);
        self::assertSame(0, $exit);
        self::assertSame(1, preg_match('/hrk_[\w-]{43}/', $text, $token));
        self::assertSame(hash('sha256', $token[0]), $this->file()->all()[0]->hash);
        [, $list] = $this->call(['action' => 'list']);
        self::assertStringContainsString('shop', $list);
        self::assertStringNotContainsString($token[0], $list);
        self::assertStringNotContainsString(hash('sha256', $token[0]), $list);
    }

    #[Test]
    public function scopes_are_kept_and_a_key_is_revoked(): void
    {
        [$exit, $text] = $this->call([
            'action' => 'create',
            'name' => 'shop',
            '--type' => ['order.*'],
            '--origin' => ['https://a.example'],
            '--rate' => '50',
            '--max-event-bytes' => '1000',
            '--expires' => '+90 days',
            '--json' => true,
        ]);
        self::assertSame(0, $exit, $text);
        $made = json_decode($text, true);
        self::assertIsArray($made);
        self::assertIsString($made['id']);
        self::assertIsString($made['key']);
        $key = $this->file()->all()[0];
        self::assertSame(
            [['order.*'], ['https://a.example'], 50, 1_000, true],
            [$key->types, $key->origins, $key->rate, $key->eventBytes, $key->expires > $key->created + 89 * 86_400],
        );

        self::assertSame(0, $this->call(['action' => 'revoke', 'name' => $made['id']])[0]);
        self::assertNotNull($this->file()->all()[0]->revoked);
        [, $list] = $this->call(['action' => 'list', '--json' => true]);
        self::assertStringContainsString('"revoked"', $list);
        self::assertStringNotContainsString('hash', $list);
        self::assertSame(1, $this->call(['action' => 'revoke', 'name' => 'none'])[0]);
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function wrongUsage(): iterable
    {
        yield 'action' => [['action' => 'make']];
        yield 'no name' => [['action' => 'create']];
        yield 'no id' => [['action' => 'revoke']];
        yield 'a name with a line feed' => [['action' => 'create', 'name' => "a\nb"]];
        yield 'a long name' => [['action' => 'create', 'name' => str_repeat('x', 65)]];
        yield 'rate' => [['action' => 'create', 'name' => 'a', '--rate' => '0']];
        yield 'rate as a word' => [['action' => 'create', 'name' => 'a', '--rate' => 'many']];
        yield 'size' => [['action' => 'create', 'name' => 'a', '--max-event-bytes' => '1000000']];
        yield 'a time that has passed' => [['action' => 'create', 'name' => 'a', '--expires' => '-1 day']];
        yield 'no time' => [['action' => 'create', 'name' => 'a', '--expires' => 'nonsense']];
        yield 'a star within' => [['action' => 'create', 'name' => 'a', '--type' => ['a*b']]];
        yield 'no origin' => [['action' => 'create', 'name' => 'a', '--origin' => ['a.example']]];
        yield 'a page' => [['action' => 'create', 'name' => 'a', '--origin' => ['https://a.example/page']]];
    }

    /** @param array<string, mixed> $input */
    #[Test]
    #[DataProvider('wrongUsage')]
    public function wrong_usage_makes_nothing(array $input): void
    {
        self::assertSame(2, $this->call($input)[0]);
        self::assertSame([], $this->file()->all());
    }

    #[Test]
    public function a_file_that_is_not_understood_is_left_alone(): void
    {
        $this->call(['action' => 'create', 'name' => 'a']);
        file_put_contents($this->file()->path, 'x');

        foreach ([
            ['action' => 'create', 'name' => 'a'],
            ['action' => 'list'],
            ['action' => 'revoke', 'name' => 'a'],
        ] as $input) {
            [$exit, $text] = $this->call($input);
            self::assertSame(1, $exit);
            self::assertStringContainsString('keys.json', $text);
        }

        self::assertSame('x', file_get_contents($this->file()->path));
    }

    private function file(): ApiKeyStore
    {
        return ApiKeyStore::below($this->directory->path, new SystemClock);
    }

    /**
     * @param array<string, mixed> $input
     * @return array{int, string}
     */
    private function call(array $input): array
    {
        $tester = new CommandTester(new CollectKeyCommand($this->file(...), new SystemClock));

        return [$tester->execute($input, ['capture_stderr_separately' => false]), $tester->getDisplay()];
    }
}
