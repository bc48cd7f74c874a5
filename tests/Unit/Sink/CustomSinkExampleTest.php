<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink;

use Headroom\Sink\Sink;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Tests\Support\CustomSinkExample;

/**
 * The example of docs/custom-sink.md keeps the contract, as it stands there.
 */
final class CustomSinkExampleTest extends AtLeastOnceContract
{
    private string $directory = '';

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
        $class = CustomSinkExample::load();

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

    /** @return list<string> */
    private function files(string $directory): array
    {
        $files = glob("{$directory}/*.ndjson");

        return $files === false ? [] : $files;
    }
}
