<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Application;

use Headroom\Doctor\Application\EnvironmentCalls;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class EnvironmentCallsTest extends TestCase
{
    /** @return iterable<string, array{string, list<string>}> */
    public static function code(): iterable
    {
        yield 'a call' => ["<?php\n\n\$a = env('KEY');\n", ['app/a.php:3']];
        yield 'with a space and a leading backslash' => [
            "<?php \$a = \\env ('KEY'); \$b = ENV('x');", ['app/a.php:1', 'app/a.php:1'],
        ];
        yield 'a comment, a string and a heredoc' => [
            "<?php // env('A')\n/* env('B') */ \$a = \"env('C')\"; \$b = <<<X\nenv('D')\nX;", [],
        ];
        yield 'methods and declarations' => [
            '<?php $this->env(1); Http::env(2); $a?->env(3); function env(string $x) {} new env();', [],
        ];
        yield 'another function' => ["<?php getenv('A'); app()->environment('local'); my_env('B');", []];
        yield 'no PHP' => ["\x00\xff env(", []];
        yield 'half a file' => ["<?php \$a = env('KEY", ['app/a.php:1']];
    }

    /** @param list<string> $found */
    #[Test]
    #[DataProvider('code')]
    public function they_are_found_by_tokens(string $code, array $found): void
    {
        $directory = TemporaryDirectory::create('env');

        try {
            mkdir($directory->file('app'));
            file_put_contents($directory->file('app/a.php'), $code);

            self::assertSame($found, EnvironmentCalls::below($directory->path));
        } finally {
            $directory->remove();
        }
    }
}
