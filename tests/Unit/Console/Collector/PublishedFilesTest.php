<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Collector;

use Headroom\Collector\Sapi\UnableToPublish;
use Headroom\Console\Collector\PublishedFiles;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class PublishedFilesTest extends TestCase
{
    /** The template puts the path of the front controller and its directory into PHP code. */
    #[Test]
    public function no_path_changes_what_the_front_controller_does(): void
    {
        $directory = TemporaryDirectory::create('published');
        $random = new Randomizer(new Mt19937(Sample::seed()));
        $plain = $this->tokens($directory, 'ingest.php');

        for ($i = 0; $i < 300; $i++) {
            $name = '';

            for ($length = $random->getInt(1, 12); $length > 0; $length--) {
                $name .= [
                    "'", '"', '\\', '?>', '<?php', "\n", "\r", '%s', '%', '$x', '{', '`', '*/', '//', ');', 'COMMAND',
                    'COMPILED', "\u{2028}", "\xFF", ' ', 'a',
                ][$random->getInt(0, 20)];
            }

            $name = str_replace('/', '', $name).'.php';
            self::assertSame(
                $plain,
                $this->tokens($directory, $name),
                json_encode($name, JSON_INVALID_UTF8_SUBSTITUTE) === false
                    ? ''
                    : json_encode($name, JSON_INVALID_UTF8_SUBSTITUTE),
            );
        }

        $directory->remove();
    }

    #[Test]
    public function files_with_the_mark_of_an_older_version_are_replaced(): void
    {
        $directory = TemporaryDirectory::create('published');
        $files = new PublishedFiles($directory->path, $directory->file('ingest.php'), 'headroom collect:publish');
        mkdir($directory->file('public'));
        $directory->write('public/ingest.php', "<?php\n\n// headroom:lane The collector's fast lane.\n");
        $directory->write('ingest.php', "<?php\n\n// headroom:lane Compiled from the configuration.\n");

        self::assertSame([$front = $directory->file('public/ingest.php')], $files->published());
        self::assertTrue($files->publish($front));
        self::assertFalse($files->publish($front));
        self::assertStringNotContainsString('headroom:lane', (string) file_get_contents($front));
        self::assertSame([$front], $files->published());
        self::assertTrue($files->clear());
        self::assertFileDoesNotExist($directory->file('ingest.php'));
        $directory->remove();
    }

    #[Test]
    #[TestWith(["<?php\n\n// headroom:lanes of mine\n"])]
    #[TestWith(["<?php\n\n// headroom:ingestion of mine\n"])]
    #[TestWith(["<?php\n\n\$a = 'headroom:lane';\n"])]
    #[TestWith([''])]
    public function a_file_without_a_mark_is_neither_replaced_nor_removed(string $text): void
    {
        $directory = TemporaryDirectory::create('published');
        $files = new PublishedFiles($directory->path, $directory->file('ingest.php'), 'headroom collect:publish');
        mkdir($directory->file('public'));
        $directory->write('public/ingest.php', $text);
        $directory->write('ingest.php', $text);
        $refused = 0;

        foreach ([fn () => $files->publish($directory->file('public/ingest.php')), $files->clear(...)] as $step) {
            try {
                $step();
            } catch (UnableToPublish) {
                $refused++;
            }
        }

        self::assertSame([2, []], [$refused, $files->published()]);
        self::assertStringEqualsFile($directory->file('public/ingest.php'), $text);
        self::assertStringEqualsFile($directory->file('ingest.php'), $text);
        $directory->remove();
    }

    /** @return list<string> names of the tokens of the front controller */
    private function tokens(TemporaryDirectory $directory, string $name): array
    {
        $base = $directory->file("it's \\ %s");
        $files = new PublishedFiles($base, "{$base}/cache/ingest.php", 'headroom collect:publish');
        $files->publish($front = "{$base}/public/{$name}");
        $tokens = token_get_all((string) file_get_contents($front), TOKEN_PARSE);
        unlink($front);

        return array_map(
            static fn (array|string $token): string => is_array($token) ? token_name($token[0]) : $token,
            $tokens,
        );
    }
}
