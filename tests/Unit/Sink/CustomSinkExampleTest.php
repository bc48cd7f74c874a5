<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink;

use Headroom\Sink\Sink;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use RuntimeException;

/**
 * The example of docs/custom-sink.md keeps the contract, as it stands there.
 */
final class CustomSinkExampleTest extends AtLeastOnceContract
{
    private string $directory = '';

    public static function setUpBeforeClass(): void
    {
        if (class_exists(self::example(), false)) {
            return;
        }

        $page = (string) file_get_contents(dirname(__DIR__, 3).'/docs/custom-sink.md');

        if (preg_match('/```php\n(use .*?)```/s', $page, $example) !== 1) {
            throw new RuntimeException('docs/custom-sink.md has no example that begins with its imports.');
        }

        $file = sys_get_temp_dir().'/headroom-example-'.bin2hex(random_bytes(6)).'.php';
        file_put_contents($file, "<?php\n\ndeclare(strict_types=1);\n\n{$example[1]}");

        try {
            require $file;
        } finally {
            unlink($file);
        }
    }

    protected function setUp(): void
    {
        $this->directory = sys_get_temp_dir().'/headroom-drop-off-'.bin2hex(random_bytes(6));
        mkdir($this->directory);
    }

    protected function tearDown(): void
    {
        foreach ([$this->directory, "{$this->directory}.away"] as $directory) {
            if (is_dir($directory)) {
                array_map(unlink(...), $this->files($directory));
                rmdir($directory);
            }
        }
    }

    public function createSink(): Sink
    {
        $class = self::example();
        self::assertTrue(is_a($class, Sink::class, true));

        return new $class($this->directory);
    }

    public function arrived(): array
    {
        $arrived = [];

        foreach ($this->files($this->directory) as $file) {
            foreach (explode("\n", rtrim((string) file_get_contents($file), "\n")) as $line) {
                $event = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
                self::assertIsArray($event);
                self::assertIsArray($event['values']);
                self::assertIsString($event['id']);

                /** @var array<string, mixed> $values */
                $values = $event['values'];
                $arrived[] = new Arrived($values, $event['id']);
            }
        }

        return $arrived;
    }

    public function obstruct(): void
    {
        rename($this->directory, "{$this->directory}.away");
    }

    public function clear(): void
    {
        rename("{$this->directory}.away", $this->directory);
    }

    private static function example(): string
    {
        return 'DropOffSink';
    }

    /** @return list<string> */
    private function files(string $directory): array
    {
        $files = glob("{$directory}/*.ndjson");

        return $files === false ? [] : $files;
    }
}
