<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Testing\Arrived;
use PHPUnit\Framework\Assert;

/**
 * fixtures/scripted-http.php in a process of its own.
 */
final class ScriptedServer
{
    private int $acts = 0;

    private function __construct(
        private readonly ChildProcess $daemon,
        private readonly TemporaryDirectory $directory,
        public readonly int $port,
        private readonly string $scheme,
    ) {}

    /** @param ?string $pem a certificate with its key: TLS */
    public static function start(?string $pem = null): self
    {
        $directory = TemporaryDirectory::create('scripted-http');
        mkdir($directory->file('script'));
        $command = [Programs::php(), __DIR__.'/fixtures/scripted-http.php', $directory->path];

        if ($pem !== null) {
            $command[] = $directory->write('server.pem', $pem);
        }

        $daemon = ChildProcess::start(
            new ProcessOptions('scripted server', $command, $directory->file('server.log'), [], [Signal::Terminate]),
        );
        $daemon->awaitReady(static fn (): bool => is_file($directory->file('port')));

        return new self(
            $daemon,
            $directory,
            (int) file_get_contents($directory->file('port')),
            $pem === null ? 'http' : 'https',
        );
    }

    public function url(string $path = '/events'): string
    {
        return "{$this->scheme}://127.0.0.1:{$this->port}{$path}";
    }

    /**
     * Sets the server's action for the next request that has none yet. The fixture defines the actions.
     *
     * @param array<string, mixed> $act
     */
    public function next(array $act): void
    {
        $name = sprintf('%06d', ++$this->acts);
        $this->directory->write($name, json_encode($act, JSON_THROW_ON_ERROR));
        rename($this->directory->file($name), $this->directory->file("script/{$name}"));
    }

    /** @param array<string, mixed>|null $act what is done with every other one; null: 200 */
    public function always(?array $act): void
    {
        if ($act === null) {
            unlink($this->directory->file('always'));
        } else {
            $this->directory->write('always', json_encode($act, JSON_THROW_ON_ERROR));
        }
    }

    /** @return list<ReceivedRequest> */
    public function requests(): array
    {
        return array_map(ReceivedRequest::fromLine(...), $this->lines('requests'));
    }

    /** @return list<Arrived> */
    public function events(): array
    {
        return array_map(static function (string $line): Arrived {
            $values = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            Assert::assertIsArray($values);
            $id = $values['_id'] ?? null;
            Assert::assertIsString($id);
            Assert::assertIsString($values['_accepted_at'] ?? null);
            unset($values['_id'], $values['_accepted_at']);

            /** @var array<string, mixed> $values */
            return new Arrived($values, $id);
        }, $this->lines('events'));
    }

    /** @return array<string, array<string, mixed>> of all that were sent to `_bulk` and taken, by their ids */
    public function documents(): array
    {
        $documents = [];

        foreach ($this->lines('documents') as $line) {
            $document = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
            Assert::assertIsArray($document);
            Assert::assertIsString($document['_id']);
            Assert::assertIsArray($document['_source']);
            Assert::assertArrayNotHasKey($document['_id'], $documents, 'It was there.');

            /** @var array<string, mixed> $source */
            $source = $document['_source'];
            $documents[$document['_id']] = $source;
        }

        return $documents;
    }

    /** How much of the last endless answer was taken by the other side, or lies in between. */
    public function endlessBytes(): int
    {
        return (int) file_get_contents($this->directory->file('endless'));
    }

    public function stop(): void
    {
        $this->daemon->stop();
        $this->directory->remove();
    }

    /** @return list<string> */
    private function lines(string $name): array
    {
        $lines = is_file($this->directory->file($name))
            ? file($this->directory->file($name), FILE_IGNORE_NEW_LINES)
            : [];

        return $lines === false ? [] : $lines;
    }
}
