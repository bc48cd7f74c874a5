<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload;

use Headroom\Preload\Selection\Project;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnixUser;

/**
 * A tree as Composer leaves it, with the files that its loader reads: App\ in app/, and packages that a test adds.
 */
final class FakeProject
{
    /** @var array<string, string> PHP that says the folder, by beginning of names */
    private array $psr4 = ['App\\' => '$baseDir.\'/app\''];

    /** @var array<string, string> */
    private array $psr0 = [];

    /** @var array<string, string> PHP that says the file, by class */
    private array $classMap = [];

    /** @var list<array<string, mixed>> */
    private array $packages = [];

    /** @var list<string> */
    private array $dev = [];

    private function __construct(
        private readonly TemporaryDirectory $directory,
        private readonly string $name,
        private readonly string $vendor,
    ) {}

    /** @param string $name of the root, in a directory of its own */
    public static function create(string $name = 'project', string $vendor = 'vendor', ?UnixUser $owner = null): self
    {
        return new self(TemporaryDirectory::create('fake', $owner), $name, $vendor);
    }

    public function root(): string
    {
        return $this->directory->file($this->name);
    }

    /** Of the root's parent. */
    public function outside(string $name): string
    {
        return $this->directory->file($name);
    }

    public function file(string $file, string $text): self
    {
        $path = "{$this->root()}/{$file}";

        if (! is_dir(dirname($path))) {
            mkdir(dirname($path), 0o755, true);
        }

        file_put_contents($path, $text);

        return $this;
    }

    /** @param string $code of App\NAME, behind the tag and its namespace */
    public function app(string $name, string $code): self
    {
        $namespace = implode('\\', ['App', ...array_slice(explode('/', $name), 0, -1)]);

        return $this->file("app/{$name}.php", "<?php namespace {$namespace};\n{$code}");
    }

    /** Classes of PREFIX\ are in src/ of it. */
    public function package(string $name, string $prefix, bool $isDev = false, ?string $path = null): self
    {
        $this->packages[] = ['name' => $name, 'version' => '1.0.0', 'install-path' => $path ?? "../{$name}"];
        $this->dev = $isDev ? [...$this->dev, $name] : $this->dev;
        $this->psr4["{$prefix}\\"] ??= "\$vendorDir.'/{$name}/src'";

        return $this;
    }

    public function metaPackage(string $name): self
    {
        $this->packages[] = ['name' => $name, 'install-path' => null];

        return $this;
    }

    /** @param string $folder in PHP */
    public function psr4(string $prefix, string $folder): self
    {
        $this->psr4[$prefix] = $folder;

        return $this;
    }

    public function psr0(string $prefix, string $folder): self
    {
        $this->psr0[$prefix] = $folder;

        return $this;
    }

    public function mapped(string $class, string $file): self
    {
        $this->classMap[$class] = $file;

        return $this;
    }

    public function write(bool $isAuthoritative = false, bool $hasDev = false): self
    {
        $this->file(
            "{$this->vendor}/composer/installed.json",
            (string) json_encode(['packages' => $this->packages, 'dev' => $hasDev, 'dev-package-names' => $this->dev]),
        );
        $this->file(
            "{$this->vendor}/composer/autoload_real.php",
            $isAuthoritative ? '<?php $loader->setClassMapAuthoritative(true);' : '<?php',
        );

        foreach ([
            'classmap' => $this->classMap,
            'psr4' => array_map(self::listed(...), $this->psr4),
            'namespaces' => array_map(self::listed(...), $this->psr0),
        ] as $name => $table) {
            $lines = array_map(
                static fn (string $key, string $value): string => var_export($key, true)." => {$value},",
                array_keys($table),
                $table,
            );
            $this->file(
                "{$this->vendor}/composer/autoload_{$name}.php",
                "<?php\n\$vendorDir = dirname(__DIR__);\n\$baseDir = {$this->baseDir()};\nreturn [\n"
                    .implode("\n", $lines)."\n];\n",
            );
        }

        return $this;
    }

    public function project(): Project
    {
        return Project::at($this->root());
    }

    public function remove(): void
    {
        $this->directory->remove();
    }

    private function baseDir(): string
    {
        return str_starts_with($this->vendor, '../')
            ? "dirname(\$vendorDir).'/{$this->name}'"
            : 'dirname($vendorDir, '.(substr_count($this->vendor, '/') + 1).')';
    }

    private static function listed(string $folder): string
    {
        return "[{$folder}]";
    }
}
