<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Collector;

use Headroom\Console\Collector\LaneFiles;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

final class LaneFilesTest extends TestCase
{
    /** Code is made of a path that a deploy names, and of the directory that it lies in. */
    #[Test]
    public function no_path_changes_what_the_front_controller_does(): void
    {
        $directory = TemporaryDirectory::create('lane');
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

    /** @return list<string> kinds of what PHP reads in it */
    private function tokens(TemporaryDirectory $directory, string $name): array
    {
        $base = $directory->file("it's \\ %s");
        $files = new LaneFiles($base, "{$base}/cache/lane.php", 'headroom collect:publish');
        $files->publish($front = "{$base}/public/{$name}");
        $tokens = token_get_all((string) file_get_contents($front), TOKEN_PARSE);
        unlink($front);

        return array_map(
            static fn (array|string $token): string => is_array($token) ? token_name($token[0]) : $token,
            $tokens,
        );
    }
}
