<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Standalone\Bootstrap;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * A command that a message tells you to run is there under that name.
 */
final class NamedCommandsTest extends TestCase
{
    /** @var list<string> */
    private static array $artisan = [];

    /** @var list<string> */
    private static array $plain = [];

    public static function setUpBeforeClass(): void
    {
        $app = ScratchApplication::onThisCheckout();
        $list = json_decode($app->artisan('list', '--format=json')->out, true);
        $app->remove();
        self::assertIsArray($list);
        self::assertIsArray($list['commands']);
        self::$artisan = array_values(array_filter(array_column($list['commands'], 'name'), is_string(...)));
        self::$plain = array_keys((new Bootstrap)->application()->all());
    }

    /** @return iterable<string, array{string, string, string}> program, command, where */
    public static function named(): iterable
    {
        $count = 0;

        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(dirname(__DIR__, 2).'/src')) as $file) {
            assert($file instanceof SplFileInfo);

            foreach ($file->getExtension() === 'php' ? self::texts($file) : [] as $text) {
                preg_match_all(
                    '~`(php artisan |(?:vendor/bin/)?headroom |)([a-z]+(?::[a-z-]+)*)(?=[ `])~',
                    $text,
                    $found,
                    PREG_SET_ORDER,
                );

                foreach ($found as [$words, $program, $command]) {
                    $path = substr($file->getPathname(), strlen(dirname(__DIR__, 2).'/src/'));

                    yield "{$words} of {$path}, ".++$count => [$program, $command, "{$path}: {$text}"];
                }
            }
        }
    }

    #[Test]
    #[DataProvider('named')]
    public function it_is_there(string $program, string $command, string $where): void
    {
        $isOurs = preg_match('/\A(spool|headroom):/', $command) === 1;

        match (true) {
            str_ends_with($program, 'headroom ') => self::assertContains($command, self::$plain, $where),
            $isOurs => self::assertContains($command, self::$artisan, $where),
            $program === '' => self::assertNotContains(
                $command,
                array_diff(self::$plain, self::$artisan),
                "Artisan knows it by another name. {$where}",
            ),
            default => self::assertMatchesRegularExpression(
                '/\A[a-z:-]+\z/',
                $command,
                'One of Laravel or of another package.',
            ),
        };

        if ($isOurs && $program === '' && ! self::isOfLaravel($where)) {
            self::assertSame(
                preg_replace('/\Aheadroom:/', '', $command),
                (new Bootstrap)->application()->find($command)->getName(),
                "bin/headroom must know it. {$where}",
            );
        }
    }

    /** A file of the rooms that need Laravel, or a text about its migrations or its configuration file. */
    private static function isOfLaravel(string $where): bool
    {
        return preg_match('~\A(?:Laravel|Bench)/|Laravel|`migrate`|config/spool\.php~', $where) === 1;
    }

    /** @return list<string> string literals, or the parts of one between its variables */
    private static function texts(SplFileInfo $file): array
    {
        $tokens = token_get_all((string) file_get_contents($file->getPathname()));

        return array_column(
            array_filter(
                $tokens,
                static fn (array|string $token): bool => is_array($token)
                    && in_array($token[0], [T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE], true),
            ),
            1,
        );
    }
}
