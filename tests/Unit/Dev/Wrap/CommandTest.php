<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Dev\Wrap;

use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\After;
use PHPUnit\Framework\Attributes\Before;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class CommandTest extends TestCase
{
    private TemporaryDirectory $directory;

    private string $output = '';

    private string $errors = '';

    #[Before]
    public function makeDirectory(): void
    {
        $this->directory = TemporaryDirectory::create('wrap');
    }

    #[After]
    public function removeDirectory(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function a_directory_is_wrapped_and_checked(): void
    {
        $wide = '<?php f('.str_repeat('a', 60).', '.str_repeat('b', 60).");\n";
        $file = $this->directory->write('a.php', $wide);

        self::assertSame([1, $wide], [$this->ran('--check', $this->directory->path), file_get_contents($file)]);
        self::assertSame(0, $this->ran($this->directory->path));
        self::assertNotSame($wide, file_get_contents($file));
        self::assertSame(0, $this->ran('--check', $this->directory->path));
    }

    #[Test]
    public function what_stays_wide_is_listed_with_its_line(): void
    {
        $file = $this->directory->write('a.php', "<?php\n\n\$a = '".str_repeat('a', 130)."';\n");

        self::assertSame(0, $this->ran($file));
        self::assertSame("{$file}:3: 138 characters\n", $this->output);
    }

    #[Test]
    public function a_file_that_is_no_php_is_named_and_left_alone(): void
    {
        $broken = '<?php f('.str_repeat('a', 130).";\n";
        $file = $this->directory->write('a.php', $broken);

        self::assertSame(2, $this->ran($this->directory->path));
        self::assertStringContainsString("{$file}: ", $this->errors);
        self::assertSame($broken, file_get_contents($file));
    }

    #[Test]
    public function it_says_how_it_is_called(): void
    {
        self::assertSame(2, $this->ran());
        self::assertStringContainsString('php dev/wrap.php [--check] PATH...', $this->errors);
    }

    private function ran(string ...$arguments): int
    {
        $process = new Process([PHP_BINARY, dirname(__DIR__, 4).'/dev/wrap.php', ...array_values($arguments)]);
        $code = $process->run();
        $this->output = $process->getOutput();
        $this->errors = $process->getErrorOutput();

        return $code;
    }
}
