<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Mode;
use ReflectionClass;

/**
 * Tells which files can be preloaded, and which files each needs. An excluded file stays excluded, so the rounds of
 * verification come to an end.
 *
 * @internal
 */
final class DependencyGraph
{
    /** The application writes these files again after the list was generated. */
    private const GENERATED = ['bootstrap/cache/', 'storage/'];

    /** @var array<string, DroppedClass|null> null for a file that can be preloaded, by file */
    private array $objections = [];

    /** @var array<string, list<string>> direct needs, by file */
    private array $needs = [];

    /** @var array<string, true> files that are being evaluated */
    private array $inProgress = [];

    /** @var array<string, true> those of them that another file has assumed to be preloadable */
    private array $assumed = [];

    /** @param array<string, DroppedClass> $excluded by file */
    public function __construct(
        private readonly Project $project,
        private readonly SourceCache $sources,
        private readonly IgnoreRules $ignored,
        private readonly Mode $mode,
        private readonly array $excluded,
    ) {}

    /** Null if the class can be preloaded. */
    public function objection(string $class, string $file): ?DroppedClass
    {
        if (! array_key_exists($file, $this->objections)) {
            $this->evaluate($class, $file);
        }

        $objection = $this->objections[$file];

        if ($objection === null) {
            return $this->declares($file, $class)
                ? null
                : new DroppedClass($class, $file, DropReason::NotDeclared, "{$file} does not declare it");
        }

        return strcasecmp($objection->class, $class) === 0
            ? $objection
            : new DroppedClass($class, $file, $objection->reason, $objection->detail);
    }

    private function evaluate(string $class, string $file): void
    {
        $before = count($this->objections);
        $this->inProgress[$file] = true;
        $objection = $this->objectionToFile($class, $file);

        // Files that were accepted meanwhile may have been accepted because of this file.
        if ($objection !== null && isset($this->assumed[$file])) {
            $since = array_slice($this->objections, $before);
            $this->objections = array_diff_key($this->objections, array_filter($since, is_null(...)));
        }

        unset($this->inProgress[$file], $this->assumed[$file]);
        $this->objections[$file] = $objection;
    }

    private function declares(string $file, string $class): bool
    {
        return in_array(strtolower($class), array_map(strtolower(...), $this->classesOf($file)), true);
    }

    /**
     * The file, preceded by all files that it needs.
     *
     * @param array<string, true> $known files to omit
     * @return list<string>
     */
    public function closure(string $file, array $known = []): array
    {
        $ordered = [];
        $this->visit($file, $known, $ordered);

        return $ordered;
    }

    /** @return list<string> classes of a file that can be preloaded */
    public function classesOf(string $file): array
    {
        return array_map(
            static fn (Declaration $declaration): string => $declaration->name,
            $this->sources->get($file)->declarations,
        );
    }

    /**
     * @param array<string, true> $known
     * @param list<string> $ordered
     */
    private function visit(string $file, array &$known, array &$ordered): void
    {
        if (isset($known[$file])) {
            return;
        }

        $known[$file] = true;

        foreach ($this->needs[$file] ?? [] as $needed) {
            $this->visit($needed, $known, $ordered);
        }

        $ordered[] = $file;
    }

    private function objectionToFile(string $class, string $file): ?DroppedClass
    {
        $drop = static fn (DropReason $reason, string $detail): DroppedClass
            => new DroppedClass($class, $file, $reason, $detail);
        $package = $this->project->packageOf($file);
        $ignored = $this->ignored->reason($class, $file);

        if (isset($this->excluded[$file])) {
            return $drop($this->excluded[$file]->reason, $this->excluded[$file]->detail);
        }

        if ($package?->isDev === true) {
            return $drop(DropReason::DevPackage, "{$package->name} is a dev package");
        }

        if ($ignored !== null) {
            return $drop(DropReason::Ignored, "`ignore` names {$ignored}");
        }

        if (
            array_filter(self::GENERATED, static fn (string $folder): bool => str_starts_with($file, $folder)) !== []
            || str_starts_with($file, "{$this->project->vendor}/composer/")
        ) {
            return $drop(DropReason::Ignored, "{$file} is generated");
        }

        try {
            $source = $this->sources->get($file);
        } catch (UnableToRead $e) {
            return $drop(DropReason::Unreadable, rtrim($e->getMessage(), '.'));
        }

        foreach ($source->declarations as $declaration) {
            $ignored = $this->ignored->reason($declaration->name, $file);

            if ($ignored !== null) {
                return $drop(DropReason::Ignored, "`ignore` names {$ignored}");
            }
        }

        if ($this->mode === Mode::Compile) {
            $impurity = $source->impurity === null
                ? $this->impurityOfHints($source)
                : "{$source->impurity}, which compiling does not run";

            if ($impurity !== null) {
                return $drop(DropReason::Impure, $impurity);
            }
        }

        return $this->objectionToAncestors($class, $file, $source);
    }

    /** A file may call class_exists() because of a side effect of the other file, such as an alias. */
    private function impurityOfHints(SourceFile $source): ?string
    {
        foreach ($source->hints as $hint) {
            $file = $this->project->fileOf($hint);

            try {
                $impurity = $file === null ? null : $this->sources->get($file)->impurity;
            } catch (UnableToRead) {
                continue;
            }

            if ($impurity !== null) {
                return "it loads {$hint}, and {$impurity}, which compiling does not run";
            }
        }

        return null;
    }

    private function objectionToAncestors(string $class, string $file, SourceFile $source): ?DroppedClass
    {
        $own = array_map(
            static fn (Declaration $declaration): string => strtolower($declaration->name),
            $source->declarations,
        );
        $needs = [];

        foreach ($source->declarations as $declaration) {
            foreach ($declaration->ancestors as $ancestor) {
                if (in_array(strtolower($ancestor), $own, true) || self::isInternal($ancestor)) {
                    continue;
                }

                $needed = $this->project->fileOf($ancestor);

                if ($needed === null) {
                    return new DroppedClass(
                        $class,
                        $file,
                        DropReason::MissingAncestor,
                        "it needs {$ancestor}, which is not installed",
                    );
                }

                $objection = $this->objectionToAncestor($ancestor, $needed);

                if ($objection !== null) {
                    return $objection->forDescendant($class, $file);
                }

                $needs[$needed] = true;
            }
        }

        ksort($needs);
        $this->needs[$file] = array_keys(array_diff_key($needs, [$file => true]));

        return null;
    }

    private function objectionToAncestor(string $ancestor, string $needed): ?DroppedClass
    {
        if (! isset($this->inProgress[$needed])) {
            return $this->objection($ancestor, $needed);
        }

        $this->assumed[$needed] = true;

        return null;
    }

    private static function isInternal(string $name): bool
    {
        return (class_exists($name, false) || interface_exists($name, false) || trait_exists($name, false))
            && (new ReflectionClass($name))->isInternal();
    }
}
