<?php

declare(strict_types=1);

namespace Workbench\App\Models;

use Illuminate\Database\Eloquent\Attributes\ObservedBy;
use Illuminate\Database\Eloquent\Model;
use Workbench\App\Observers\LogsActivity;

/**
 * @property string $title
 */
#[ObservedBy(LogsActivity::class)]
final class Document extends Model
{
    protected $fillable = ['title', 'body', 'share_token'];

    protected $hidden = ['share_token'];
}
