<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\Dropped;
use Headroom\Preload\Mode;
use Headroom\Preload\Reason;
use ReflectionClass;

/**
 * Which classes can be taken, and what each of them needs. A file is banned once and for good, so that adding and
 * dropping never go round in circles.
 *
 * @internal
 */
final class DependencyGraph
{
    // Classes of Composer's own, and caches that the application writes, are made anew behind the list's back.
    private const NEVER = ['bootstrap/cache/', 'storage/'];

    /** @var array<string, Dropped|null> null for a file that can be taken, by file */
    private array $verdicts = [];

    /** @var array<string, list<string>> files that a file needs directly */
    private array $needs = [];

    /** @var array<string, true> */
    private array $underWay = [];

    /** @var array<string, true> of these, what another file has counted on meanwhile */
    private array $countedOn = [];

    /** @param array<string, Dropped> $banned by file */
    public function __construct(
        private readonly Project $project,
        private readonly SourceCache $sources,
        private readonly IgnoreRules $ignored,
        private readonly Mode $mode,
        private readonly array $banned,
    ) {}

    /** Null when it can be taken. */
    public function objection(string $class, string $file): ?Dropped
    {
        if (! array_key_exists($file, $this->verdicts)) {
            $this->judge($class, $file);
        }

        $verdict = $this->verdicts[$file];

        if ($verdict === null) {
            return $this->declares($file, $class)
                ? null
                : new Dropped($class, $file, Reason::NotDeclared, "{$file} does not declare it");
        }

        return strcasecmp($verdict->class, $class) === 0
            ? $verdict
            : new Dropped($class, $file, $verdict->reason, $verdict->detail);
    }

    private function judge(string $class, string $file): void
    {
        $before = count($this->verdicts);
        $this->underWay[$file] = true;
        $verdict = $this->ofFile($class, $file);

        // What was found good since then may be so only because of this file.
        if ($verdict !== null && isset($this->countedOn[$file])) {
            $since = array_slice($this->verdicts, $before);
            $this->verdicts = array_diff_key($this->verdicts, array_filter($since, is_null(...)));
        }

        unset($this->underWay[$file], $this->countedOn[$file]);
        $this->verdicts[$file] = $verdict;
    }

    private function declares(string $file, string $class): bool
    {
        return in_array(strtolower($class), array_map(strtolower(...), $this->classesOf($file)), true);
    }

    /**
     * The file behind those that it needs, directly or not.
     *
     * @param array<string, true> $known files that are there already, and need not be told again
     * @return list<string>
     */
    public function closure(string $file, array $known = []): array
    {
        $ordered = [];
        $this->visit($file, $known, $ordered);

        return $ordered;
    }

    /** @return list<string> of a file that can be taken */
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

    private function ofFile(string $class, string $file): ?Dropped
    {
        $drop = static fn (Reason $reason, string $detail): Dropped => new Dropped($class, $file, $reason, $detail);
        $package = $this->project->packageOf($file);
        $ignored = $this->ignored->reason($class, $file);

        if (isset($this->banned[$file])) {
            return $drop($this->banned[$file]->reason, $this->banned[$file]->detail);
        }

        if ($package?->isDev === true) {
            return $drop(Reason::DevPackage, "{$package->name} is a dev package");
        }

        if ($ignored !== null) {
            return $drop(Reason::Ignored, "`ignore` names {$ignored}");
        }

        if (
            array_filter(self::NEVER, static fn (string $folder): bool => str_starts_with($file, $folder)) !== []
            || str_starts_with($file, "{$this->project->vendor}/composer/")
        ) {
            return $drop(Reason::Ignored, "{$file} is made anew by others");
        }

        try {
            $source = $this->sources->get($file);
        } catch (UnableToRead $e) {
            return $drop(Reason::Unreadable, rtrim($e->getMessage(), '.'));
        }

        foreach ($source->declarations as $declaration) {
            $ignored = $this->ignored->reason($declaration->name, $file);

            if ($ignored !== null) {
                return $drop(Reason::Ignored, "`ignore` names {$ignored}");
            }
        }

        if ($this->mode === Mode::Compile) {
            $impurity = $source->impurity === null
                ? $this->hinted($source)
                : "{$source->impurity}, which would not run";

            if ($impurity !== null) {
                return $drop(Reason::Impure, $impurity);
            }
        }

        return $this->ofAncestors($class, $file, $source);
    }

    /** A class may be asked for because of what its file does besides, such as to give this one its old name. */
    private function hinted(SourceFile $source): ?string
    {
        foreach ($source->hints as $hint) {
            $file = $this->project->fileOf($hint);

            try {
                $impurity = $file === null ? null : $this->sources->get($file)->impurity;
            } catch (UnableToRead) {
                continue;
            }

            if ($impurity !== null) {
                return "it asks for {$hint}, and {$impurity}, which would not run";
            }
        }

        return null;
    }

    private function ofAncestors(string $class, string $file, SourceFile $source): ?Dropped
    {
        $own = array_map(
            static fn (Declaration $declaration): string => strtolower($declaration->name),
            $source->declarations,
        );
        $needs = [];

        foreach ($source->declarations as $declaration) {
            foreach ($declaration->ancestors as $ancestor) {
                if (in_array(strtolower($ancestor), $own, true) || self::isOfPhp($ancestor)) {
                    continue;
                }

                $needed = $this->project->fileOf($ancestor);

                if ($needed === null) {
                    return new Dropped(
                        $class,
                        $file,
                        Reason::MissingAncestor,
                        "it needs {$ancestor}, which is not installed",
                    );
                }

                $objection = $this->objectionTo($ancestor, $needed);

                if ($objection !== null) {
                    return $objection->inherited($class, $file);
                }

                $needs[$needed] = true;
            }
        }

        ksort($needs);
        $this->needs[$file] = array_keys(array_diff_key($needs, [$file => true]));

        return null;
    }

    private function objectionTo(string $ancestor, string $needed): ?Dropped
    {
        if (! isset($this->underWay[$needed])) {
            return $this->objection($ancestor, $needed);
        }

        $this->countedOn[$needed] = true;

        return null;
    }

    private static function isOfPhp(string $name): bool
    {
        return (class_exists($name, false) || interface_exists($name, false) || trait_exists($name, false))
            && (new ReflectionClass($name))->isInternal();
    }
}
