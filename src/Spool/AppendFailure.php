<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * Why the buffer could not take an event.
 */
enum AppendFailure: string
{
    /** ENOSPC. */
    case DiskFull = 'disk_full';

    /** EDQUOT: the filesystem's quota of this user or group. */
    case DiskQuota = 'disk_quota';

    /** The files of the bucket have reached its `max_bytes`. */
    case Quota = 'quota';

    /** The disk has less free space than `min_free_bytes` reserves. */
    case Reserve = 'reserve';

    case NotPermitted = 'not_permitted';

    case ReadOnly = 'read_only';

    case NoFreeSlot = 'no_free_slot';

    /** EMFILE, ENFILE. */
    case TooManyFiles = 'too_many_files';

    /** EFBIG: a limit of the process, such as `ulimit -f`. */
    case FileTooLarge = 'file_too_large';

    case IoError = 'io_error';

    /** Redis could not be reached, did not answer, or refused the event. */
    case Redis = 'redis';

    /** The host has disabled a PHP function that an append needs. */
    case SwitchedOff = 'switched_off';

    /** The kernel gave another reason, or none. */
    case Other = 'other';

    /** The event had to bypass the buffer, and its sink did not take it. */
    case Sink = 'sink';

    /** A partial frame could not be cut off, so a reader may see it. The event must not be written anywhere else. */
    case Uncertain = 'uncertain';

    /** Failures by errno. The numbers are the same on every system, except that of EDQUOT. */
    private const ERRORS = [
        28 => self::DiskFull,
        1 => self::NotPermitted,
        13 => self::NotPermitted,
        30 => self::ReadOnly,
        23 => self::TooManyFiles,
        24 => self::TooManyFiles,
        27 => self::FileTooLarge,
        5 => self::IoError,
        69 => self::DiskQuota,
        122 => self::DiskQuota,
    ];

    /** Failures by English text, for systems without posix_strerror(), which returns the text in the current locale. */
    private const TEXTS = [
        'No space left on device' => self::DiskFull,
        'Disk quota exceeded' => self::DiskQuota,
        'Quota exceeded' => self::DiskQuota,
        'open_basedir' => self::NotPermitted,
        'Permission denied' => self::NotPermitted,
        'Operation not permitted' => self::NotPermitted,
        'Read-only file system' => self::ReadOnly,
        'Too many open files' => self::TooManyFiles,
        'File too large' => self::FileTooLarge,
        'Input/output error' => self::IoError,
    ];

    /** @internal */
    public static function fromReason(string $reason): self
    {
        // fwrite() reports the errno; all other functions report only its text.
        if (preg_match('/\berrno=(\d+)/', $reason, $m) === 1) {
            return self::ERRORS[(int) $m[1]] ?? self::Other;
        }

        foreach (self::TEXTS as $text => $failure) {
            if (stripos($reason, $text) !== false) {
                return $failure;
            }
        }

        foreach (function_exists('posix_strerror') ? self::ERRORS : [] as $number => $failure) {
            // 69 and 122 are EDQUOT on some systems only, and other errors elsewhere.
            if ($failure !== self::DiskQuota && str_contains($reason, posix_strerror($number))) {
                return $failure;
            }
        }

        return self::Other;
    }

    /** The next step, as a sentence for messages. */
    public function fix(): string
    {
        return match ($this) {
            self::DiskFull, self::Reserve => 'Free space on that disk. Delivered segments are kept for the retention'
                .' time: `spool:clean --older-than=0` removes them at once.',
            self::DiskQuota => 'Raise the quota of that user or group on the filesystem, or free space. `spool:clean'
                .' --older-than=0` removes delivered segments at once.',
            self::Quota => 'Deliver the waiting events with `spool:flush`. If flushes run and still fall behind,'
                ." raise the bucket's 'max_bytes'.",
            self::NotPermitted =>
                'Run `spool:health` as the user that serves requests: it prints the command that fixes it.',
            self::ReadOnly => 'Mount the filesystem for writing again; the kernel log says why it is read-only.',
            self::NoFreeSlot => 'Run `spool:flush`: only a flush frees segments.',
            self::TooManyFiles =>
                'Raise the limit of open files (`ulimit -n`, LimitNOFILE), or find the process that keeps them open.',
            self::FileTooLarge =>
                "Raise the process's limit of file size (`ulimit -f`, LimitFSIZE), or lower segment_bytes.",
            self::Sink => 'Fix the error that the sink reports. With spool.enabled on and without Buffer::direct(),'
                .' the buffer accepts events while a sink is down.',
            self::Redis => 'Fix the Redis error in the log. The next flush on this machine moves the events on its'
                .' disk to Redis.',
            self::SwitchedOff => 'Ask your host to remove that function from disable_functions in php.ini.',
            self::IoError, self::Uncertain, self::Other => 'Check that disk and the kernel log.',
        };
    }
}
