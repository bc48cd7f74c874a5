<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use RuntimeException;
use Symfony\Component\Process\PhpExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * Small classes in a temporary directory, and what the import rules say of them.
 */
final class PlantedClasses
{
    private readonly string $directory;

    /** @var array<string, list<string>> rule identifiers, by class name below Headroom\ */
    private array $broken = [];

    public function __construct()
    {
        $this->directory = sys_get_temp_dir().'/headroom-planted-'.bin2hex(random_bytes(6));
        mkdir($this->directory.'/cache', 0700, true);
    }

    /** @param string $form how $import is used, %s being its full name */
    public function plant(string $class, ?string $import, string $form = 'public ?\%s $it = null;'): void
    {
        $body = '';

        if ($import !== null) {
            $import = $this->fullName($import);
            $body = sprintf($form, $import);
            $this->makeSureThereIs($import);
        }

        $this->write($this->fullName($class), $body);
    }

    public function analyse(): void
    {
        file_put_contents($this->directory.'/phpstan.neon', implode("\n", [
            'includes:',
            '    - '.__DIR__.'/phpat.neon',
            'parameters:',
            '    customRulesetUsed: true',
            '    tmpDir: '.$this->directory.'/cache',
            '    paths: ['.$this->directory.'/classes]',
            '',
        ]));

        $php = (new PhpExecutableFinder)->find();
        $phpstan = new Process([
            $php === false ? 'php' : $php, dirname(__DIR__, 2).'/vendor/bin/phpstan', 'analyse',
            '--configuration='.$this->directory.'/phpstan.neon',
            '--memory-limit=1G', '--no-progress', '--error-format=json',
        ], timeout: 120);
        $phpstan->run();
        $this->read($phpstan);
    }

    /** @return list<string> */
    public function rulesBrokenBy(string $class): array
    {
        return array_values(array_unique($this->broken[$this->pathOf($this->fullName($class))] ?? []));
    }

    public function remove(): void
    {
        (new Process(['rm', '-rf', $this->directory]))->mustRun();
    }

    private function read(Process $phpstan): void
    {
        $result = json_decode($phpstan->getOutput(), true);

        if (! is_array($result) || ! is_array($result['files'] ?? null) || ($result['errors'] ?? null) !== []) {
            throw new RuntimeException(
                "PHPStan gave no result for the planted classes:\n".$phpstan->getOutput().$phpstan->getErrorOutput(),
            );
        }

        foreach ($result['files'] as $path => $file) {
            if (! is_array($file) || ! is_array($file['messages'] ?? null)) {
                continue;
            }

            foreach ($file['messages'] as $message) {
                if (is_array($message) && is_string($message['identifier'] ?? null)) {
                    $this->broken[(string) $path][] = $message['identifier'];
                }
            }
        }
    }

    /** Names that begin with one of our rooms are meant below Headroom\. */
    private function fullName(string $name): string
    {
        $room = explode('\\', $name)[0];

        return in_array($room, [...Rooms::NAMES, 'Metrics'], true) ? 'Headroom\\'.$name : $name;
    }

    private function makeSureThereIs(string $class): void
    {
        // The real Redis client need not be installed: PHPStan knows it as it knows PHP's own classes.
        if (str_contains($class, '\\') && ! is_file($this->pathOf($class))) {
            $this->write($class, '');
        }
    }

    private function write(string $class, string $body): void
    {
        $at = (int) strrpos($class, '\\');
        @mkdir($this->directory.'/classes');
        file_put_contents($this->pathOf($class), sprintf(
            "<?php\n\nnamespace %s;\n\nfinal class %s\n{\n    %s\n}\n",
            substr($class, 0, $at),
            substr($class, $at + 1),
            $body,
        ));
    }

    private function pathOf(string $class): string
    {
        return $this->directory.'/classes/'.str_replace('\\', '_', $class).'.php';
    }
}
